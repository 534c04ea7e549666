/** The address as a code for a terminal. */
export async function qrTerminal(address: string): Promise<string> {
  const { toString } = await import('qrcode');
  return toString(address, { type: 'terminal', small: true });
}

/** The address as a code for a page, with the address itself. It has no character that HTML knows. */
export async function qrHtml(address: string): Promise<string> {
  const { toString } = await import('qrcode');
  const svg = await toString(address, { type: 'svg', width: 320, margin: 2 });
  return `${svg}\n<p><a href="${address}">${address}</a></p>`;
}
