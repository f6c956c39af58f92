// Audio bytes made by code: containers that are recognised by their content, filled up to any size with silent frames. The bytes are the same
// in every run, and large ones are streamed without being held in memory.
import { createHash } from 'node:crypto';

export const AUDIO_KINDS = ['wav', 'mp3', 'mp3-id3', 'm4a', 'mp4', 'webm', 'ogg', 'flac', 'aac'] as const;
export type AudioKind = (typeof AUDIO_KINDS)[number];

const TILE_BYTES = 65_536;

/** Returns a whole recording in memory. */
export function makeAudio(kind: AudioKind, sizeBytes: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat([...pieces(kind, sizeBytes)]));
}

/** Yields the same bytes while they are read. `onChunk` gets the number of bytes that were asked for so far. */
export async function* audioStream(
  kind: AudioKind,
  sizeBytes: number,
  onChunk?: (askedBytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let askedBytes = 0;
  for (const piece of pieces(kind, sizeBytes)) {
    askedBytes += piece.length;
    onChunk?.(askedBytes);
    yield piece;
  }
}

export function audioSha256(kind: AudioKind, sizeBytes: number): string {
  const hash = createHash('sha256');
  for (const piece of pieces(kind, sizeBytes)) hash.update(piece);
  return hash.digest('hex');
}

function* pieces(kind: AudioKind, sizeBytes: number): Generator<Uint8Array> {
  const { head, frame } = containers[kind](sizeBytes);
  if (sizeBytes < head.length) {
    throw new RangeError(`${sizeBytes} bytes are too few for a recording of kind ${kind}`);
  }
  yield head;
  const tile = Buffer.concat(new Array(Math.ceil(TILE_BYTES / frame.length)).fill(frame));
  for (let left = sizeBytes - head.length; left > 0; left -= tile.length) yield tile.subarray(0, left);
}

type Container = { readonly head: Buffer; readonly frame: Buffer };

const containers: Readonly<Record<AudioKind, (sizeBytes: number) => Container>> = {
  wav: (sizeBytes) => {
    const format = Buffer.alloc(16);
    format.writeUInt16LE(1, 0); // PCM
    format.writeUInt16LE(1, 2); // mono
    format.writeUInt32LE(16_000, 4);
    format.writeUInt32LE(32_000, 8);
    format.writeUInt16LE(2, 12);
    format.writeUInt16LE(16, 14);
    const sizes = [uint32le(sizeBytes - 8), uint32le(sizeBytes - 44)] as const;
    const head = [ascii('RIFF'), sizes[0], ascii('WAVEfmt '), uint32le(16), format, ascii('data'), sizes[1]];
    return { head: Buffer.concat(head), frame: quietSamples() };
  },
  mp3: () => ({ head: mp3Frame(), frame: mp3Frame() }),
  'mp3-id3': () => {
    const title = Buffer.concat([ascii('TIT2'), uint32be(8), Buffer.from([0, 0, 3]), ascii('made up')]);
    const tag = Buffer.concat([ascii('ID3'), Buffer.from([4, 0, 0, 0, 0, 0, title.length]), title]);
    return { head: Buffer.concat([tag, mp3Frame()]), frame: mp3Frame() };
  },
  m4a: (sizeBytes) => mp4('M4A ', sizeBytes),
  mp4: (sizeBytes) => mp4('isom', sizeBytes),
  webm: () => {
    const header = [ebml('4286', '01'), ebml('42f7', '01'), ebml('42f2', '04'), ebml('42f3', '08')];
    const docType = [ebml('4282', ascii('webm')), ebml('4287', '04'), ebml('4285', '02')];
    const track = [ebml('d7', '01'), ebml('73c5', '01'), ebml('83', '02'), ebml('86', ascii('A_OPUS'))];
    const head = Buffer.concat([
      ebml('1a45dfa3', Buffer.concat([...header, ...docType])),
      Buffer.from('1853806701ffffffffffffff', 'hex'), // a segment of unknown size, as a browser records it
      ebml('1654ae6b', ebml('ae', Buffer.concat(track))),
      Buffer.from('1f43b67501ffffffffffffff', 'hex'), // a cluster of unknown size
      ebml('e7', '00'),
    ]);
    return { head, frame: ebml('a3', Buffer.concat([Buffer.from('81000080', 'hex'), Buffer.alloc(96, 0x55)])) };
  },
  ogg: () => {
    const opusHead = Buffer.concat([ascii('OpusHead'), Buffer.from('0101380180bb0000000000', 'hex')]);
    const opusTags = Buffer.concat([ascii('OpusTags'), uint32le(4), ascii('none'), uint32le(0)]);
    const head = Buffer.concat([oggPage(opusHead, 0, 2), oggPage(opusTags, 1, 0)]);
    return { head, frame: oggPage(Buffer.alloc(200, 0x55), 2, 0) };
  },
  flac: () => {
    const streamInfo = Buffer.from(`10001000000000000000${'03e800f000000000'}${'00'.repeat(16)}`, 'hex');
    const head = Buffer.concat([ascii('fLaC'), Buffer.from([0x80, 0, 0, streamInfo.length]), streamInfo]);
    return { head, frame: Buffer.concat([Buffer.from('fff86908', 'hex'), Buffer.alloc(60, 0x11)]) };
  },
  aac: () => {
    const frame = Buffer.concat([Buffer.from('fff150800d7ffc', 'hex'), Buffer.alloc(100, 0x21)]);
    return { head: frame, frame };
  },
};

function quietSamples(): Buffer {
  const samples = Buffer.alloc(32_000);
  for (let index = 0; index < samples.length; index += 2) samples.writeInt16LE((index * 7919) % 64, index);
  return samples;
}

/** Frames are MPEG-1 layer III, 128 kbit/s, 44.1 kHz. */
function mp3Frame(): Buffer {
  return Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(413)]);
}

function mp4(brand: string, sizeBytes: number): Container {
  const handler = Buffer.concat([Buffer.alloc(8), ascii('soun'), Buffer.alloc(13)]);
  const track = box('trak', box('mdia', Buffer.concat([box('mdhd', Buffer.alloc(24)), box('hdlr', handler)])));
  const movie = box('moov', Buffer.concat([box('mvhd', Buffer.alloc(100)), track]));
  const start = Buffer.concat([box('ftyp', Buffer.concat([ascii(brand), uint32be(512), ascii('isommp42')])), movie]);
  const mediaHead = Buffer.concat([uint32be(sizeBytes - start.length), ascii('mdat')]);
  return { head: Buffer.concat([start, mediaHead]), frame: Buffer.alloc(256, 0x21) };
}

function box(type: string, content: Buffer): Buffer {
  return Buffer.concat([uint32be(content.length + 8), ascii(type), content]);
}

/** Returns an EBML element with a size of two bytes. */
function ebml(idHex: string, content: Buffer | string): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'hex') : content;
  return Buffer.concat([
    Buffer.from(idHex, 'hex'),
    Buffer.from([0x40 | (bytes.length >> 8), bytes.length & 0xff]),
    bytes,
  ]);
}

function oggPage(content: Buffer, sequence: number, flags: number): Buffer {
  const page = Buffer.alloc(28 + content.length);
  page.write('OggS', 0, 'latin1');
  page[5] = flags;
  page.writeUInt32LE(1, 14);
  page.writeUInt32LE(sequence, 18);
  page[26] = 1;
  page[27] = content.length;
  content.copy(page, 28);
  page.writeUInt32LE(oggChecksum(page), 22);
  return page;
}

function oggChecksum(page: Uint8Array): number {
  let checksum = 0;
  for (const byte of page) {
    checksum ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1)
      checksum = checksum & 0x80000000 ? (checksum << 1) ^ 0x04c11db7 : checksum << 1;
  }
  return checksum >>> 0;
}

function ascii(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

function uint32le(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

function uint32be(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}
