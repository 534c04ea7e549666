/** As many bytes as the files of the study on file reads had, and the same each time. */
const bytes = 2732;

/** The file that every request of work=file reads, and what every answer is. */
export const fileContent = 'The quick brown fox jumps over the lazy dog. '
  .repeat(Math.ceil(bytes / 45))
  .slice(0, bytes);
