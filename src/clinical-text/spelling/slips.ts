/** How two words differ: letters of the one in place of letters of the other. */
export type Slip = { readonly one: string; readonly other: string; readonly lettersBehind: number };

/** One letter more, less or other, or two neighbours that changed places; undefined if the words are equal or differ more. */
export function findSlip(one: string, other: string): Slip | undefined {
  if (Math.abs(one.length - other.length) > 1 || one === other) return undefined;
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let lettersBehind = 0;
  while (lettersBehind < shorter - start && one.at(-1 - lettersBehind) === other.at(-1 - lettersBehind))
    lettersBehind++;
  const slip = {
    one: one.slice(start, one.length - lettersBehind),
    other: other.slice(start, other.length - lettersBehind),
    lettersBehind,
  };
  if (slip.one.length <= 1 && slip.other.length <= 1) return slip;
  const isSwap = slip.one.length === 2 && slip.one === slip.other.split('').reverse().join('');
  return isSwap ? slip : undefined;
}
