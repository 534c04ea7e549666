import type { Device } from '../../../core/model/device.ts';

/** Tells of the first session on each phone: what it costs its owner, and how long it took. */
export class FirstSessions {
  readonly #say: (sentence: string) => void;
  readonly #now: () => number;
  readonly #announced = new Set<string>();
  readonly #begun = new Set<string>();

  constructor(say: (sentence: string) => void, now: () => number = () => performance.now()) {
    this.#say = say;
    this.#now = now;
  }

  /** Says, before anything is lost, that the device asks for its browser's data to be erased. */
  announce({ id, phone, browser }: Device): void {
    if (phone === undefined || this.#announced.has(id)) return;
    this.#announced.add(id);
    if (phone.profile === 'erase') {
      const app = phone.appPackage ?? `its ${browser}`;
      this.#say(
        `${id}: all data of ${app} (tabs, logins, history) are erased at each session, as "profile" in devices.json says`,
      );
    }
    if (phone.platform !== 'ios') return;
    this.#say(`${id}: its first session begins; Xcode may take minutes to build its agent`);
  }

  /** Starts a session; says how long the first one of a phone took. */
  async time<T>({ id, phone }: Device, start: () => Promise<T>): Promise<T> {
    if (phone === undefined || this.#begun.has(id)) return start();
    const began = this.#now();
    const session = await start();
    this.#begun.add(id);
    const seconds = ((this.#now() - began) / 1000).toFixed(1);
    this.#say(`${id}: its first session began after ${seconds} s`);
    return session;
  }
}
