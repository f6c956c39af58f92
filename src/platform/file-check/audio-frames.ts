// Recognises audio that has no container, only frames one after another: MPEG layers II and III, and AAC in ADTS. A single
// frame head is met by chance in other files, so the next one is looked for, too.

const ID3_HEAD_BYTES = 10;
const MPEG_HEAD_BYTES = 4;
const ADTS_HEAD_BYTES = 7;
const JUDGEABLE_BYTES = 64;

const KBPS = {
  mpeg1Layer2: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  mpeg1Layer3: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const MPEG1_HERTZ = [44_100, 48_000, 32_000] as const;
/** By version bits; 1 is reserved. */
const HERTZ_DIVISOR: Readonly<Record<number, number>> = { 0: 4, 2: 2, 3: 1 };

/** The bytes after the ID3v2 tags, if there are any. `isCut`: the file goes on after these bytes. */
export function skipId3(bytes: Buffer, isCut: boolean): Buffer | 'beyond' | 'broken' {
  let at = 0;
  while (bytes.toString('latin1', at, at + 3) === 'ID3') {
    const length = id3Length(bytes.subarray(at, at + ID3_HEAD_BYTES + 4));
    if (length === undefined) return 'broken';
    at += length;
    if (at >= bytes.length) return 'beyond';
  }
  // Writers leave room behind the tag for a longer one.
  if (at > 0) while (at < bytes.length && bytes[at] === 0) at += 1;
  const isTooLittle = at === bytes.length || (isCut && bytes.length - at < JUDGEABLE_BYTES);
  return at > 0 && isTooLittle ? 'beyond' : bytes.subarray(at);
}

function id3Length(head: Buffer): number | undefined {
  if (head.length < ID3_HEAD_BYTES) return undefined;
  const [version = 0, , flags = 0] = head.subarray(3);
  const size = head.subarray(6, ID3_HEAD_BYTES);
  if (version < 2 || version > 4 || (flags & 0x0f) !== 0 || size.some((byte) => byte > 0x7f)) return undefined;
  const hasExtendedHead = version > 2 && (flags & 0x40) !== 0;
  const bodyBytes = size.reduce((sum, byte) => sum * 128 + byte, 0);
  // A frame's name, or padding.
  const firstFrame = head.toString('latin1', ID3_HEAD_BYTES, ID3_HEAD_BYTES + bodyBytes);
  if (!hasExtendedHead && !/^(?:[A-Z][A-Z0-9]{2}|\0|$)/.test(firstFrame)) return undefined;
  const footerBytes = version === 4 && (flags & 0x10) !== 0 ? ID3_HEAD_BYTES : 0;
  return ID3_HEAD_BYTES + bodyBytes + footerBytes;
}

/** `isCut`: the file goes on after these bytes, so that a first frame may end beyond them. */
export function isMpegAudio(bytes: Buffer, isCut: boolean): boolean {
  return hasFrames(bytes, { frameBytes: mpegFrameBytes, headBytes: MPEG_HEAD_BYTES, isCut });
}

export function isAdts(bytes: Buffer, isCut: boolean): boolean {
  return hasFrames(bytes, { frameBytes: adtsFrameBytes, headBytes: ADTS_HEAD_BYTES, isCut });
}

type Frames = {
  readonly frameBytes: (head: Buffer) => number | undefined;
  readonly headBytes: number;
  readonly isCut: boolean;
};

/** True for a frame at the start, followed by another one or by the end. */
function hasFrames(bytes: Buffer, { frameBytes, headBytes, isCut }: Frames): boolean {
  const first = bytes.length < headBytes ? undefined : frameBytes(bytes);
  if (first === undefined) return false;
  const next = bytes.subarray(first);
  if (next.length >= headBytes) return frameBytes(next) !== undefined;
  return isCut || bytes.length >= first;
}

function mpegFrameBytes(head: Buffer): number | undefined {
  const word = head.readUInt32BE(0);
  const version = (word >>> 19) & 3;
  const layer = 4 - ((word >>> 17) & 3);
  const divisor = HERTZ_DIVISOR[version];
  const hertz = MPEG1_HERTZ[(word >>> 10) & 3];
  if (word >>> 21 !== 0x7ff || divisor === undefined || hertz === undefined || layer === 4 || layer === 1)
    return undefined;
  const table = version !== 3 ? KBPS.mpeg2 : layer === 3 ? KBPS.mpeg1Layer3 : KBPS.mpeg1Layer2;
  const kbps = table[((word >>> 12) & 15) - 1];
  if (kbps === undefined) return undefined;
  const samples = layer === 3 && version !== 3 ? 576 : 1152;
  return Math.floor((samples / 8) * ((kbps * 1000) / (hertz / divisor))) + ((word >>> 9) & 1);
}

function adtsFrameBytes(head: Buffer): number | undefined {
  const word = head.readUInt32BE(0);
  const isSync = word >>> 20 === 0xfff && ((word >>> 17) & 3) === 0;
  const isKnownRate = ((word >>> 10) & 15) <= 12;
  const length = (head.readUIntBE(3, 3) >>> 5) & 0x1fff;
  return isSync && isKnownRate && length > ADTS_HEAD_BYTES ? length : undefined;
}
