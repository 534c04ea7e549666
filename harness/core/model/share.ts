/** Reads a share such as `2%` or `0.02`; null for anything but one of 0 to less than 1. */
export function readShare(text: string): number | null {
  const [, digits, sign] = /^(\d*\.?\d+)\s*(%?)$/.exec(text.trim()) ?? [];
  const share = Number(digits) / (sign === '%' ? 100 : 1);
  return share >= 0 && share < 1 ? share : null;
}
