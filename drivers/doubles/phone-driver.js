/**
 * Doubles of Appium's drivers for phones, which run inside the real Appium server: they answer for
 * Android and iOS as UiAutomator2 and XCUITest do, and have a browser of this machine show the pages.
 * Appium loads this file as plain JavaScript, from a package that `appium-home.ts` lays out.
 */
import { execFile, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { BaseDriver, errors, JWProxy } from 'appium/driver.js';

const run = promisify(execFile);

/** Hands every command to a WebDriver server of this machine, which it starts for the session. */
class PhoneDouble extends BaseDriver {
  #relay = null;
  #server = null;

  proxyActive() {
    return this.#relay !== null;
  }

  canProxy() {
    return true;
  }

  getProxyAvoidList() {
    return [];
  }

  async createSession(...given) {
    const [sessionId, wanted] = await super.createSession(...given);
    try {
      const behind = await this.prepare(wanted);
      const relay = await this.#start(behind);
      const alwaysMatch = { pageLoadStrategy: wanted.pageLoadStrategy, ...behind.capabilities };
      const body = { capabilities: { alwaysMatch, firstMatch: [{}] } };
      const { capabilities } = await relay.command('/session', 'POST', body);
      this.#relay = relay;
      this.proxyReqRes = relay.proxyReqRes.bind(relay);
      await this.began?.(this.#server.pid);
      return [sessionId, { ...wanted, ...capabilities }];
    } catch (error) {
      await this.deleteSession(sessionId);
      throw error;
    }
  }

  async deleteSession(sessionId) {
    await super.deleteSession(sessionId);
    const [relay, server] = [this.#relay, this.#server];
    this.#relay = null;
    this.proxyReqRes = null;
    try {
      await relay?.command('', 'DELETE');
    } catch (error) {
      this.log.warn(`The browser did not end by itself: ${error.message}`);
    } finally {
      server?.kill('SIGKILL');
    }
  }

  async #start({ program, environment = {} }) {
    const port = await freePort();
    const args = program.endsWith('WebKitWebDriver') ? ['--host=127.0.0.1'] : [];
    this.#server = spawn(program, [...args, `--port=${port}`], {
      env: { ...process.env, ...environment },
      stdio: 'ignore',
    });
    let ended = null;
    this.#server.on('error', (error) => (ended = error.message));
    this.#server.on('exit', () => (ended ??= 'it ended'));
    while (!(await answers(port))) {
      if (ended !== null) throw new errors.SessionNotCreatedError(`${program}: ${ended}`);
      await pause(20);
    }
    return new JWProxy({ server: '127.0.0.1', port, base: '', timeout: 120_000, log: this.log });
  }
}

/** Chrome on the Android device that adb lists; its loopback is that of the device's double. */
export class UiAutomator2Double extends PhoneDouble {
  #serial = null;

  async prepare(wanted) {
    // Behaves as a phone that never gets ready, if the environment of the server says so.
    if (process.env.CROSSFARM_DOUBLE === 'never ready') await new Promise(() => undefined);
    this.#serial = await findDevice(wanted.udid);
    const { stdout } = await runAdb('-s', this.#serial, 'shell', 'getprop ro.crossfarm.loopback');
    const { args = [], androidKeepAppDataDir = false } = wanted['goog:chromeOptions'] ?? {};
    // As UiAutomator2 does before chromedriver, and chromedriver after it.
    for (const keeps of [wanted.noReset === true, androidKeepAppDataDir]) {
      if (!keeps) await runAdb('-s', this.#serial, 'shell', 'pm clear com.android.chrome');
    }
    const isRoot = process.getuid() === 0;
    return {
      program: '/usr/bin/chromedriver',
      capabilities: {
        browserName: 'chrome',
        'goog:chromeOptions': {
          binary: '/usr/bin/chromium',
          args: [
            ...args,
            ...['--headless', ...(isRoot ? ['--no-sandbox'] : [])],
            `--host-resolver-rules=MAP 127.0.0.1 ${stdout.trim()}`,
          ],
        },
      },
    };
  }

  /** The device's own `ps` lists what is below this process. */
  async began(pid) {
    await runAdb('-s', this.#serial, 'shell', `echo ${pid} > "$DEVICE/browser"`);
  }
}

/** Safari on an iPhone. WebKitGTK renders: the same engine on another system. */
export class XCUITestDouble extends PhoneDouble {
  prepare() {
    if (process.env.CROSSFARM_DOUBLE === 'agent build fails') {
      throw new errors.SessionNotCreatedError(
        'Unable to launch WebDriverAgent. Original error: xcodebuild failed with code 65. Make sure you follow the tutorial',
      );
    }
    return {
      program: '/usr/bin/WebKitWebDriver',
      environment: { JSC_useSharedArrayBuffer: '1' },
      capabilities: {
        browserName: 'MiniBrowser',
        'webkitgtk:browserOptions': {
          binary: '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
          args: ['--automation'],
        },
      },
    };
  }
}

function runAdb(...args) {
  const home = process.env.ANDROID_HOME;
  if (home === undefined) {
    throw new errors.SessionNotCreatedError(
      'Neither ANDROID_HOME nor ANDROID_SDK_ROOT environment variable was exported.',
    );
  }
  return run(join(home, 'platform-tools', 'adb'), args, { timeout: 10_000 });
}

async function findDevice(wanted) {
  const { stdout } = await runAdb('devices');
  const lines = stdout.split('\n').filter((line) => line.endsWith('\tdevice'));
  const serials = lines.map((line) => line.split('\t')[0]);
  const found = wanted === undefined ? serials[0] : serials.find((serial) => serial === wanted);
  if (found !== undefined) return found;
  throw new errors.SessionNotCreatedError('Could not find a connected Android device in 20000ms.');
}

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function answers(port) {
  try {
    return (await fetch(`http://127.0.0.1:${port}/status`)).ok;
  } catch {
    return false;
  }
}
