/**
 * Reads values of a page that is not ours by their names and expressions. A classic script, as
 * `guest-metrics.js`, which comes after it.
 */
(() => {
  /** @type {Map<string, { value?: unknown, error?: string }>} Expressions that gave a promise. */
  const promised = new Map();

  /**
   * An expression that gives a promise is evaluated once, and has a value when that resolves.
   * @param {string} expression
   * @param {PromiseLike<unknown>} promise
   */
  function awaitOnce(expression, promise) {
    /** @type {{ value?: unknown, error?: string }} */
    const awaited = {};
    promised.set(expression, awaited);
    promise.then(
      (value) => {
        awaited.value = value;
      },
      (error) => {
        awaited.error = String(error);
      },
    );
  }

  /**
   * A path of properties, read as such: a page may forbid that text is evaluated.
   * @param {string} expression
   * @returns {any} undefined where it is not a path, or leads to nothing
   */
  function plainValueOf(expression) {
    if (!/^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/.test(expression)) return undefined;
    const names = expression.split('.');
    return names.reduce((/** @type {any} */ value, name) => value?.[name], globalThis);
  }

  /**
   * Evaluates in the global scope, where the page's own `const` and `let` are visible, too.
   * @param {string} expression
   * @param {() => boolean} isLate whether what is missing has had time enough
   * @throws what the expression throws, once it has had time enough; at once when it is not a promise
   */
  function valueOf(expression, isLate) {
    const awaited = promised.get(expression);
    if (awaited !== undefined) {
      if (awaited.error !== undefined)
        throw new Error(`${expression} was rejected: ${awaited.error}`);
      return awaited.value;
    }
    try {
      const value = plainValueOf(expression) ?? (0, eval)(`(${expression})`);
      return typeof value?.then === 'function' ? awaitOnce(expression, value) : value;
    } catch (error) {
      // The page may still make what is missing, but cannot mend a text that is not an expression.
      if (!isLate() && !(error instanceof SyntaxError)) return undefined;
      throw new Error(`${expression} threw ${String(error)}`);
    }
  }

  /**
   * @param {unknown} value
   * @returns {number[] | null} null while it is not a number
   */
  function numbersIn(value) {
    const values = [value].flat();
    return values.length > 0 && values.every(Number.isFinite)
      ? /** @type {number[]} */ (values)
      : null;
  }

  Object.defineProperty(globalThis, 'crossfarmValues', { value: { valueOf, numbersIn } });
})();
