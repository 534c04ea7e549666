/** How far a run is, for the screen of a device. */
export interface JoinProgress {
  readonly done: number;
  readonly planned: number;
}

/** Instructions to the page of a client. */
type ClientOrder =
  | {
      readonly kind: 'open';
      readonly number: number;
      readonly url: string;
      readonly progress: JoinProgress;
    }
  | { readonly kind: 'over'; readonly text: string }
  /** Another tab of the same browser asks in its place. */
  | { readonly kind: 'replaced' };

interface ClientFacts {
  /** Secret that the requests of its pages carry as a cookie. */
  readonly secret: string;
  /** Name that its owner gave it. */
  readonly name: string;
  /** As the browser says: not to be trusted. */
  readonly userAgent: string;
}

interface Task {
  readonly number: number;
  readonly lose: (why: string) => void;
}

/**
 * One device that has joined. Its page asks what to open, and the question stays open until there is
 * something: nothing is sent while it measures. A question that does not name the page in hand says
 * that this page is lost.
 */
export class Client {
  readonly secret: string;
  readonly name: string;
  readonly userAgent: string;
  /** What its page told last of how it draws: not to be trusted. */
  drawing: unknown = null;
  #question: ((answer: ClientOrder) => void) | null = null;
  /** Resolves when the connection of the last question is closed. */
  #closed: Promise<void> = Promise.resolve();
  #task: Task | null = null;
  #pages = 0;
  #over: string | null = null;
  readonly #arrivals = new Set<() => void>();

  constructor({ secret, name, userAgent }: ClientFacts) {
    this.secret = secret;
    this.name = name;
    this.userAgent = userAgent;
  }

  /**
   * The page asks; `holding` is the number of the page that it still shows, null for none. `gone`
   * aborts when its connection is closed.
   */
  ask(holding: number | null, gone?: AbortSignal): Promise<ClientOrder> {
    this.#question?.({ kind: 'replaced' });
    this.#question = null;
    if (this.#task !== null && this.#task.number !== holding) {
      this.lose('it came back without the page that it had');
    }
    if (this.#over !== null) return Promise.resolve({ kind: 'over', text: this.#over });
    return new Promise((resolve) => {
      this.#question = resolve;
      this.#closed = closing(gone, () => {
        if (this.#question === resolve) this.#question = null;
      });
      for (const arrive of this.#arrivals) arrive();
    });
  }

  /** Resolves when a question is open. @throws the signal's reason. */
  async arrived(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#question !== null) return;
    await new Promise<void>((resolve, reject) => {
      const settle = (): void => {
        this.#arrivals.delete(settle);
        signal.removeEventListener('abort', refuse);
        resolve();
      };
      const refuse = (): void => {
        this.#arrivals.delete(settle);
        reject(signal.reason as Error);
      };
      this.#arrivals.add(settle);
      signal.addEventListener('abort', refuse, { once: true });
    });
  }

  /** Answers the open question with a page. @returns why that page was lost, if it ever is. */
  hand(url: string, progress: JoinProgress): Promise<string> {
    this.#pages += 1;
    const number = this.#pages;
    this.#question?.({ kind: 'open', number, url, progress });
    this.#question = null;
    return new Promise((lose) => {
      this.#task = { number, lose };
    });
  }

  /** The page in hand is done with. */
  release(): void {
    this.#task = null;
  }

  /** The page in hand will give no result. */
  lose(why: string): void {
    this.#task?.lose(`${this.name}: ${why}`);
    this.#task = null;
  }

  /** Every question from now on has this answer. Resolves when the open one has got it. */
  end(text: string): Promise<void> {
    this.#over = text;
    if (this.#question === null) return Promise.resolve();
    this.#question({ kind: 'over', text });
    this.#question = null;
    return this.#closed;
  }
}

function closing(gone: AbortSignal | undefined, then: () => void): Promise<void> {
  return new Promise((resolve) => {
    const close = (): void => {
      then();
      resolve();
    };
    if (gone === undefined) resolve();
    else gone.addEventListener('abort', close, { once: true });
  });
}
