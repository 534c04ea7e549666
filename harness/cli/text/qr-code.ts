/** The address as a code for a terminal. */
export async function qrTerminal(address: string): Promise<string> {
  const { toString } = await import('qrcode');
  return toString(address, { type: 'terminal', small: true });
}
