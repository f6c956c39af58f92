// Recognises WebM by the document type in its EBML header. A browser's recording of a microphone looks like a film with
// WebM's name; Matroska files with other document types are refused.

const EBML = 0x1a45dfa3;
const DOC_TYPE = 0x4282;
const MAX_DOC_TYPE_BYTES = 32;

type Number = { readonly value: number; readonly end: number };

export function isWebm(bytes: Buffer): boolean {
  if (bytes.length < 8 || bytes.readUInt32BE(0) !== EBML) return false;
  const size = readNumber(bytes, 4);
  const end = size === undefined ? 0 : Math.min(bytes.length, size.end + size.value);
  for (let at = size?.end ?? end; at < end; ) {
    const id = readId(bytes, at);
    const length = id === undefined ? undefined : readNumber(bytes, id.end);
    if (id === undefined || length === undefined) return false;
    const next = length.end + length.value;
    if (id.value === DOC_TYPE) {
      const isShort = length.value <= MAX_DOC_TYPE_BYTES && next <= end;
      return isShort && /^webm\0*$/.test(bytes.toString('latin1', length.end, next));
    }
    at = next;
  }
  return false;
}

/** An element's name: its length marker is part of it. */
function readId(bytes: Buffer, at: number): Number | undefined {
  const length = numberBytes(bytes[at]);
  if (length > 4 || at + length > bytes.length) return undefined;
  return { value: bytes.readUIntBE(at, length), end: at + length };
}

function readNumber(bytes: Buffer, at: number): Number | undefined {
  const length = numberBytes(bytes[at]);
  if (length > 8 || at + length > bytes.length) return undefined;
  let value = (bytes[at] ?? 0) & (0xff >> length);
  for (const byte of bytes.subarray(at + 1, at + length)) value = value * 256 + byte;
  return { value, end: at + length };
}

/** As many as the zeros before the first one, and one. */
function numberBytes(first = 0): number {
  return Math.clz32(first) - 23;
}
