// Checks that a file begins as a recording that may be passed on, by the first bytes alone, because the rest goes on to the speech
// vendor while it still arrives. Claims of a header are checked only as far as possible.
import { isAdts, isMpegAudio, skipId3 } from './audio-frames.ts';
import { isMp4Audio } from './mp4-head.ts';
import { isOggAudio } from './ogg-head.ts';
import { isSaneSound } from './sound-limits.ts';
import { isWav } from './wav-head.ts';
import { isWebm } from './webm-head.ts';

export const AUDIO_TYPES = [
  'audio/mpeg',
  'audio/mp4',
  'audio/wav',
  'audio/webm',
  'audio/ogg',
  'audio/flac',
  'audio/aac',
] as const;
export type AudioType = (typeof AUDIO_TYPES)[number];

/** How many bytes the check needs; fewer only if the whole file is shorter. */
export const AUDIO_HEAD_BYTES = 4100;

export type AudioVerdict =
  | { readonly ok: true; readonly type: AudioType }
  | { readonly ok: false; readonly reason: string };

const EMPTY = 'the file is empty';
const UNSUPPORTED = 'unsupported audio format; MP3, MP4, WAV, WebM, Ogg, FLAC and AAC are taken';

export function checkAudioHead(head: Uint8Array): AudioVerdict {
  if (head.length === 0) return { ok: false, reason: EMPTY };
  const type = detectAudio(head);
  return type === undefined ? { ok: false, reason: UNSUPPORTED } : { ok: true, type };
}

/** The kind of a recording; undefined for other files, and for headers that make no sense. */
export function detectAudio(head: Uint8Array): AudioType | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, AUDIO_HEAD_BYTES));
  const isCut = bytes.length === AUDIO_HEAD_BYTES;
  const audio = skipId3(bytes, isCut);
  if (audio === 'broken') return undefined;
  // The tag goes on behind the head, as one with a picture does: nearly all files with such tags are MP3.
  if (audio === 'beyond') return 'audio/mpeg';
  if (isMpegAudio(audio, isCut)) return 'audio/mpeg';
  if (isAdts(audio, isCut)) return 'audio/aac';
  if (isFlac(audio)) return 'audio/flac';
  if (audio.length < bytes.length) return undefined;
  if (isWav(bytes)) return 'audio/wav';
  if (isOggAudio(bytes)) return 'audio/ogg';
  if (isWebm(bytes)) return 'audio/webm';
  return isMp4Audio(bytes) ? 'audio/mp4' : undefined;
}

function isFlac(bytes: Buffer): boolean {
  if (bytes.length < 42 || bytes.toString('latin1', 0, 4) !== 'fLaC') return false;
  const isStreamInfo = ((bytes[4] ?? 0) & 0x7f) === 0 && bytes.readUIntBE(5, 3) === 34;
  const smallestBlock = bytes.readUInt16BE(8);
  const largestBlock = bytes.readUInt16BE(10);
  if (!isStreamInfo || smallestBlock < 16 || largestBlock < smallestBlock) return false;
  return isSaneSound({ hertz: bytes.readUIntBE(18, 3) >> 4, channels: (((bytes[20] ?? 0) >> 1) & 7) + 1 });
}
