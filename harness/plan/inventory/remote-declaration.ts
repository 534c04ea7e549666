import { z } from 'zod';

/** What `devices.json` may say of a browser beside a server elsewhere. */
export const remoteDeclaration = {
  node: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,62}$/, 'must be a name such as "rack-2"')
    .optional()
    .describe(
      'Node of the Selenium Grid that declares the capability "crossfarm:node" with this value. Trials on different nodes run side by side; without it the whole grid counts as one machine.',
    ),
  capabilities: z
    .record(z.string().min(1).max(100), z.unknown())
    .optional()
    .describe(
      'WebDriver elsewhere, and phones: further capabilities of each session, such as "appium:xcodeOrgId"; they win.',
    ),
  pages: z
    .string()
    .max(1000)
    .regex(
      /^(lan|https?:\/\/[^\s@/?#]+)$/,
      'must be "lan", or an address such as "https://farm.example"',
    )
    .optional()
    .describe(
      'Phones, and browsers beside a "server": where the browser reaches the farm’s pages. "lan": this machine’s address in the local network, as an iPhone needs, and an Android phone on another machine’s cable; or, not for phones, an address that leads to the page server (--port), as through a proxy or a tunnel. Default: this machine’s loopback, which a phone on this machine’s cable reaches through adb. Over plain HTTP from elsewhere a page is no secure context: its clock is coarser, it has no shared memory.',
    ),
  ssh: z
    .string()
    .max(300)
    .regex(
      /^(ssh:\/\/)?[A-Za-z0-9][\w.@:-]*$/,
      'must be a destination such as "bench@rack-2" or "ssh://bench@rack-2:2222"',
    )
    .optional()
    .describe('Beside a "server": the CPU of its machine (Linux) is read through ssh.'),
  agent: z
    .string()
    .max(1000)
    .regex(/^https?:\/\/[^\s@/?#]+$/, 'must be an address such as "http://rack-2:8720"')
    .optional()
    .describe(
      'Beside a "server": the CPU of its machine (Linux) is read through a "farm agent" there; its token is in CROSSFARM_AGENT_TOKEN.',
    ),
};
