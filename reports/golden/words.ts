/** Text as a reader has it: no tags, one space for any white space, no style, script or data. */
export function visibleWords(page: string): string {
  return page
    .replace(/<(style|script)[^>]*>.*?<\/\1>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replace(/[\s\u00a0]+/g, ' ');
}

/** What a page carries for other programs. */
export function dataOf(page: string): unknown {
  const text = /<script type="application\/json" id="findings">(.*?)<\/script>/s.exec(page)?.[1];
  return JSON.parse(text ?? '');
}
