// Reads the Prefer header of a request (RFC 7240).

const PARTS = /(?:[^",]|"(?:[^"\\]|\\.)*")+/g;
/** A longer header is not read. */
const MAX_CHARACTERS = 1000;
const PREFERENCE = /^\s*([^\s=;"]+)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^\s;"]*)\s*)?(?:;|$)/;

/** The value of a preference; empty if it has none. Its first mention counts, and parameters of it are ignored. */
export function preferenceOf(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > MAX_CHARACTERS) return undefined;
  for (const [part] of header.matchAll(PARTS)) {
    const [, own, value = ''] = PREFERENCE.exec(part) ?? [];
    if (own?.toLowerCase() === name) return unquote(value);
  }
  return undefined;
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
}
