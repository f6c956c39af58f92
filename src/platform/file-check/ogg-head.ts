// Recognises an Ogg stream by the codecs that its first pages name: speech and music are taken, films are refused.
import { isSaneSound } from './sound-limits.ts';

const PAGE_HEAD_BYTES = 27;
const FIRST_PAGE = 0x02;

/** `index`: a table of contents, beside which there has to be sound. */
type Codec = 'sound' | 'index';

export function isOggAudio(bytes: Buffer): boolean {
  let hasSound = false;
  // All codecs are named first, one page each, before any page with content.
  for (let at = 0; isFirstPage(bytes, at); ) {
    const segments = bytes[at + 26] ?? 0;
    const start = at + PAGE_HEAD_BYTES + segments;
    const end = bytes.subarray(at + PAGE_HEAD_BYTES, start).reduce((sum, length) => sum + length, start);
    const codec = codecOf(bytes.subarray(start, end));
    if (codec === undefined) return false;
    hasSound ||= codec === 'sound';
    at = end;
  }
  return hasSound;
}

function isFirstPage(bytes: Buffer, at: number): boolean {
  if (at + PAGE_HEAD_BYTES > bytes.length || bytes.toString('latin1', at, at + 4) !== 'OggS') return false;
  return bytes[at + 4] === 0 && ((bytes[at + 5] ?? 0) & FIRST_PAGE) !== 0;
}

function codecOf(packet: Buffer): Codec | undefined {
  const name = packet.toString('latin1', 0, 8);
  if (name === 'fishead\0') return 'index';
  if (name === 'OpusHead' && packet.length >= 19) return soundIf(packet[9], 48_000);
  if (name.startsWith('\x01vorbis') && packet.length >= 30) return soundIf(packet[11], packet.readUInt32LE(12));
  if (name === 'Speex   ' && packet.length >= 80) return soundIf(packet.readUInt32LE(48), packet.readUInt32LE(36));
  return name.startsWith('\x7fFLAC') ? 'sound' : undefined;
}

function soundIf(channels = 0, hertz: number): Codec | undefined {
  return isSaneSound({ channels, hertz }) ? 'sound' : undefined;
}
