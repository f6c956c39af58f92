// Recognises a WAV by its chunks, and refuses one whose format makes no sense or whose samples are a text. The length that
// it claims is not judged: a recorder that streams does not know it.
import { isSaneSound } from './sound-limits.ts';

/** PCM, MS ADPCM, float, A-law, mu-law, IMA ADPCM, GSM 6.10, MPEG, MP3. */
const FORMATS = new Set([1, 2, 3, 6, 7, 0x11, 0x31, 0x50, 0x55]);
const UNPACKED_FORMATS = new Set([1, 3]);
const EXTENSIBLE = 0xfffe;
const SAMPLE_BITS = new Set([8, 16, 24, 32, 64]);
/** What recorders write before the samples; a name that is not known is a text that begins like a WAV. */
const EARLY_CHUNKS = new Set([
  ...['JUNK', 'junk', 'FLLR', 'PAD ', 'LIST', 'ds64', 'bext', 'iXML', 'axml', 'fact', 'cart', 'id3 ', 'ID3 ', 'PEAK'],
  ...['minf', 'elm1', 'regn', 'umid', 'chna', 'afsp', 'smpl', 'cue '],
]);
const MAX_EARLY_BYTES = 16 * 1_048_576;
const FORMAT_BYTES = 16;
/** Digital silence in A-law may be one letter again and again; a text has more of them. */
const MIN_LETTERS_OF_TEXT = 4;
const SHORT_BYTES = 64;

export function isWav(bytes: Buffer): boolean {
  const container = bytes.toString('latin1', 0, 4);
  if (!['RIFF', 'RF64', 'BW64'].includes(container) || bytes.toString('latin1', 8, 12) !== 'WAVE') return false;
  let hasFormat = false;
  let at = 12;
  while (at + 8 <= bytes.length) {
    const id = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const content = bytes.subarray(at + 8, at + 8 + length);
    // A recorder that fills in the length at the end writes 0.
    if (id === 'data') return hasFormat && !isText(length === 0 ? bytes.subarray(at + 8) : content);
    if (id === 'fmt ') {
      if (!isSaneFormat(content)) return false;
      hasFormat = true;
    } else if (!EARLY_CHUNKS.has(id) || length > MAX_EARLY_BYTES) {
      return false;
    }
    at += 8 + length + (length % 2);
  }
  // The head ends among chunks that are allowed there.
  return at > 12;
}

function isSaneFormat(content: Buffer): boolean {
  if (content.length < FORMAT_BYTES) return false;
  const tag = content.readUInt16LE(0);
  // An extensible format names the real one behind the common fields.
  const format = tag === EXTENSIBLE && content.length >= 26 ? content.readUInt16LE(24) : tag;
  const channels = content.readUInt16LE(2);
  const blockBytes = content.readUInt16LE(12);
  const sampleBits = content.readUInt16LE(14);
  if (!FORMATS.has(format) || blockBytes === 0) return false;
  if (!isSaneSound({ channels, hertz: content.readUInt32LE(4) })) return false;
  if (!UNPACKED_FORMATS.has(format)) return true;
  return SAMPLE_BITS.has(sampleBits) && blockBytes === (channels * sampleBits) / 8;
}

function isText(samples: Buffer): boolean {
  if (samples.length === 0) return false;
  if (samples.length >= SHORT_BYTES && new Set(samples).size < MIN_LETTERS_OF_TEXT) return false;
  // The last letter may be cut at the end of the head.
  const text = new TextDecoder().decode(samples, { stream: true });
  return /^[\t\n\f\r\x20-\x7e\xa1-\ufffc]*$/.test(text);
}
