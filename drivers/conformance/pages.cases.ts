import { expect } from '@playwright/test';
import { bounds, type Case } from './case.ts';

/** Opening pages, and looking into them. */
export const pageCases = {
  'opens a URL': {
    shares: 'keeps',
    run: async ({ launch, testPages }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.asked('one');
    },
  },
  'a page is visible and, with the right headers, isolated with shared memory': {
    shares: 'keeps',
    run: async ({ launch, testPages }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      const { isolated, sharedMemory, visible } = await testPages.seen('one');
      expect({ isolated, sharedMemory, visible }).toEqual({
        isolated: true,
        sharedMemory: true,
        visible: true,
      });
    },
  },
  'a second page inherits nothing, is visible, and the first one is closed': {
    shares: 'keeps',
    run: async ({ launch, testPages }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.seen('one');
      await session.open(testPages.page('two'), bounds);
      expect(await testPages.seen('two')).toMatchObject({ inherited: null, visible: true });
      await testPages.gone('one');
    },
  },
  'a second page opens in the same browser': {
    shares: 'keeps',
    needs: 'freshPage',
    run: async ({ launch, testPages }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.asked('one');
      const before = await session.processes();
      await session.open(testPages.page('two'), bounds);
      await testPages.asked('two');
      expect(await session.processes()).toEqual(before);
    },
  },
  'leads the open page to another URL of its origin, in the same window': {
    shares: 'keeps',
    needs: 'evaluate',
    run: async ({ launch, testPages }) => {
      const session = await launch();
      // The fake driver's page has no window to be kept.
      if (session.navigate === undefined) return;
      await session.open(testPages.page('one'), bounds);
      await testPages.seen('one');
      await session.evaluate?.('(globalThis.name = "kept", 0)');
      await session.navigate(testPages.page('two'), bounds);
      await testPages.seen('two');
      expect(await session.evaluate?.('[name, location.search]')).toEqual(['kept', '?name=two']);
    },
  },
  'returns the version of the live browser': {
    shares: 'keeps',
    needs: 'liveVersion',
    run: async ({ launch }) => {
      const session = await launch();
      expect(await session.version()).toMatch(/^\d+(\.\d+)+/);
    },
  },
  'evaluates an expression in the page': {
    shares: 'keeps',
    needs: 'evaluate',
    run: async ({ launch, testPages }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.asked('one');
      // Asked for, it may not yet stand in place of the page before it.
      await expect(async () => {
        expect(await session.evaluate?.('[1, "two"]')).toEqual([1, 'two']);
      }).toPass();
    },
  },
  'clicks, keys and the wheel reach the page as those of a person': {
    shares: 'keeps',
    needs: 'input',
    run: async ({ launch, testPages }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.seen('one');
      await session.evaluate?.(`(globalThis.noted = [], ["click", "keydown", "wheel"].forEach(
        (type) => addEventListener(type, ({ isTrusted, clientX, key, deltaY }) => {
          const [what] = [key, Math.sign(deltaY), clientX].filter(Boolean);
          if (isTrusted) noted.push(type + " " + what);
        })), 0)`);
      await session.act?.({ by: 'click', x: 30, y: 20 });
      for (const key of ['a', 'Enter', ' ', 'ArrowDown']) await session.act?.({ by: 'key', key });
      await session.act?.({ by: 'wheel', y: 100 });
      await expect
        .poll(() => session.evaluate?.('noted'))
        .toEqual([
          'click 30',
          ...['keydown a', 'keydown Enter', 'keydown  ', 'keydown ArrowDown'],
          'wheel 1',
        ]);
    },
  },
  'puts a script before those of a page, and of one that it is led to': {
    shares: 'keeps',
    needs: 'firstScript',
    run: async ({ launch, testPages }) => {
      const session = await launch();
      const first = '(() => { globalThis.scriptsBefore = document.scripts.length; })()';
      await session.open(testPages.page('one'), { ...bounds, first });
      await testPages.seen('one');
      expect(await session.evaluate?.('globalThis.scriptsBefore')).toBe(0);
      if (session.navigate !== undefined) {
        await session.navigate(testPages.page('two'), bounds);
        await testPages.seen('two');
        expect(await session.evaluate?.('globalThis.scriptsBefore')).toBe(0);
      }
      await session.open(testPages.page('three'), bounds);
      await testPages.seen('three');
      expect(await session.evaluate?.('globalThis.scriptsBefore ?? null')).toBeNull();
    },
  },
  'closes the dialogs of a page at once, as one that nobody reads': {
    shares: 'keeps',
    needs: 'dialogs',
    run: async ({ launch, testPages }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.seen('one');
      // A request tells the page's answer: a look into the page may itself close a dialog.
      await session.evaluate?.(`(setTimeout(() => {
        const given = [alert("read me"), confirm("go on?"), prompt("your name?", "nobody")];
        fetch("/page?name=given " + given.map(String).join());
      }, 50), 0)`);
      await testPages.asked('given undefined,false,null');
    },
  },
  'a page that asks whether it may be left is left': {
    shares: 'keeps',
    needs: 'dialogs',
    run: async ({ launch, testPages }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.seen('one');
      // Only a page that a person has used may ask.
      await session.act?.({ by: 'click', x: 30, y: 20 });
      const asks = 'addEventListener("beforeunload", (event) => event.preventDefault())';
      const two = JSON.stringify(testPages.page('two'));
      await session.evaluate?.(`(${asks}, setTimeout(() => location.assign(${two}), 50), 0)`);
      await testPages.seen('two');
      await session.open(testPages.page('three'), bounds);
      await testPages.gone('two');
    },
  },
} as const satisfies Record<string, Case>;
