// Whether an address was said: whether a text of the visit or the chart has it literally.
import type { IsSaid } from './plain-text.ts';

/** "example dot org" is not "example.org": speech recognition writes an address that was said as an address, or it is not certain enough. */
export function makeIsSaid(texts: readonly string[]): IsSaid {
  const all = texts.join('\n').toLowerCase();
  return (address) => address !== '' && hasWhole(all, address.toLowerCase());
}

function hasWhole(all: string, address: string): boolean {
  for (let at = all.indexOf(address); at >= 0; at = all.indexOf(address, at + address.length)) {
    const [before, after] = [
      all.slice(Math.max(0, at - 1), at),
      all.slice(at + address.length, at + address.length + 2),
    ];
    if (!/[\p{L}\p{N}@.-]/u.test(before) && !/^(?:[\p{L}\p{N}@-]|\.[\p{L}\p{N}])/u.test(after)) return true;
  }
  return false;
}
