/**
 * Draws the same facts once: a report is a pure function of them, and most tests of a file look at the
 * same ones.
 */
export function drawOnce<Facts extends object>(
  render: (facts: Facts) => Promise<string>,
): (facts: Facts) => Promise<string> {
  const drawn = new WeakMap<Facts, Promise<string>>();
  return (facts) => {
    const page = drawn.get(facts) ?? render(facts);
    drawn.set(facts, page);
    return page;
  };
}
