// Codes of ICD-10 and its national versions. They agree in their first three characters, and mostly differ behind the dot.

/** Upper case, without the dot: `G43909`. */
export type IcdCode = string;
/** A category or a longer code, or the categories from one to another. */
export type CodeRange = { readonly from: IcdCode; readonly to: IcdCode };

const CODE = /^[A-Z]\d[0-9A-Z][0-9A-Z]{0,4}$/;
const LONGEST_INPUT = 20;

/** Returns undefined for a text that is no code. */
export function readIcdCode(text: string): IcdCode | undefined {
  const code = text.slice(0, LONGEST_INPUT).replace(/[\s.]/g, '').toUpperCase();
  return CODE.test(code) ? code : undefined;
}

/** Reads `K25-K28 I24.9`. */
export function readCodeRanges(text: string): readonly CodeRange[] {
  return text.split(' ').map((part) => {
    const [from = '', to = from] = part.replaceAll('.', '').split('-');
    return { from, to };
  });
}

export function categoryOf(code: IcdCode): string {
  return code.slice(0, 3);
}

export function isWide({ from, to }: CodeRange): boolean {
  return from !== to;
}

/** A category also holds its longer codes, and a longer code is also meant by its category. */
export function holdsCode({ from, to }: CodeRange, code: IcdCode): boolean {
  return from === to ? code.startsWith(from) || from.startsWith(code) : isBetween(categoryOf(code), from, to);
}

export function holdsCategory({ from, to }: CodeRange, code: IcdCode): boolean {
  return isBetween(categoryOf(code), categoryOf(from), categoryOf(to));
}

export function overlap(one: CodeRange, other: CodeRange): boolean {
  return holdsCategory(one, other.from) || holdsCategory(other, one.from);
}

function isBetween(category: string, from: string, to: string): boolean {
  return category >= from && category <= to;
}
