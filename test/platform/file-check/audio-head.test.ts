import { describe, expect, it } from '@jest/globals';
import { RECORDING_TYPES } from '../../../src/domain/recording/recording.ts';
import {
  AUDIO_HEAD_BYTES,
  AUDIO_TYPES,
  type AudioType,
  checkAudioHead,
  detectAudio,
} from '../../../src/platform/file-check/audio-head.ts';
import { AUDIO_KINDS, type AudioKind, makeAudio } from '../../support/audio-samples.ts';
import { fc } from '../../support/fast-check.ts';
import { makeGif, makeJpeg, makePdf, makePng, makeWebp, makeZip, riffChunk } from '../../support/file-samples.ts';

const REFUSED = { ok: false, reason: 'unsupported audio format; MP3, MP4, WAV, WebM, Ogg, FLAC and AAC are taken' };

const TYPE_OF: Readonly<Record<AudioKind, AudioType>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  'mp3-id3': 'audio/mpeg',
  m4a: 'audio/mp4',
  mp4: 'audio/mp4',
  webm: 'audio/webm',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  aac: 'audio/aac',
};

describe('recordings that are accepted', () => {
  it('knows the same kinds of recordings as the interface', () => {
    expect(AUDIO_TYPES).toEqual(RECORDING_TYPES);
  });

  it.each(AUDIO_KINDS)('recognises %s by its first bytes', (kind) => {
    const audio = makeAudio(kind, 50_000);
    expect(detectAudio(audio)).toBe(TYPE_OF[kind]);
    expect(checkAudioHead(audio.subarray(0, AUDIO_HEAD_BYTES))).toEqual({ ok: true, type: TYPE_OF[kind] });
  });

  it.each([0, 10, 4000, 4070, 4081, 4090, 4097, 100_000, 2_000_000])(
    'takes an MP3 behind a tag of %d bytes',
    (sizeBytes) => {
      const audio = Buffer.concat([id3(sizeBytes), makeAudio('mp3', 9000)]);
      expect(detectAudio(audio.subarray(0, AUDIO_HEAD_BYTES))).toBe('audio/mpeg');
    },
  );

  it('takes an MP3 after two tags, and after padding of a tag', () => {
    expect(detectAudio(Buffer.concat([id3(100), id3(50), makeAudio('mp3', 3000)]))).toBe('audio/mpeg');
    expect(detectAudio(Buffer.concat([id3(100), Buffer.alloc(300), makeAudio('mp3', 3000)]))).toBe('audio/mpeg');
  });

  it('finds the audio after a short tag', () => {
    expect(detectAudio(Buffer.concat([id3(100), makeAudio('aac', 3000)]))).toBe('audio/aac');
    expect(detectAudio(Buffer.concat([id3(100), makeAudio('flac', 3000)]))).toBe('audio/flac');
  });

  it.each([
    ['a recorder that does not know the length yet', wav({ dataBytes: 0xffffffff })],
    ['two channels of float', wav({ format: 3, channels: 2, sampleBits: 32 })],
    ['mu-law of a telephone', wav({ format: 7, hertz: 8000, sampleBits: 8, samples: Buffer.alloc(200, 0xff) })],
    ['A-law silence', wav({ format: 6, hertz: 8000, sampleBits: 8, samples: Buffer.alloc(200, 0x55) })],
    ['the extensible format', wav({ format: 0xfffe, realFormat: 1 })],
    ['RF64', wav({ container: 'RF64', before: [riffChunk('ds64', Buffer.alloc(28))] })],
    ['BW64', wav({ container: 'BW64' })],
    [
      'notes before the format',
      wav({ before: [riffChunk('LIST', Buffer.alloc(31)), riffChunk('bext', Buffer.alloc(602))] }),
    ],
    ['notes longer than the head', wav({ before: [riffChunk('bext', Buffer.alloc(9000))] })],
    ['padding so that the samples begin at 4 KiB', wav({ before: [riffChunk('JUNK', Buffer.alloc(4096 - 52))] })],
  ])('takes a WAV with %s', (_name, bytes) => {
    expect(detectAudio(bytes.subarray(0, AUDIO_HEAD_BYTES))).toBe('audio/wav');
  });

  it.each([
    ['Opus', 'OpusHead\x01\x02\0\0\x80\xbb\0\0\0\0\0'],
    ['Vorbis', `\x01vorbis\0\0\0\0\x01\x44\xac\0\0${'\0'.repeat(14)}`],
    ['Speex', `Speex   ${'\0'.repeat(28)}\x40\x1f\0\0${'\0'.repeat(8)}\x01\0\0\0${'\0'.repeat(28)}`],
    ['FLAC', '\x7fFLAC\x01\0\0\x01fLaC'],
  ])('takes %s in Ogg, also behind an index', (_name, packet) => {
    expect(detectAudio(oggPage(packet))).toBe('audio/ogg');
    expect(detectAudio(Buffer.concat([oggPage('fishead\0'.padEnd(64, '\0')), oggPage(packet)]))).toBe('audio/ogg');
  });

  it.each(['M4A ', 'mp42', 'isom', 'iso5', 'dash', '3gp4'])('takes the MP4 brand %s', (brand) => {
    expect(detectAudio(mp4([brand, 'isom']))).toBe('audio/mp4');
  });

  it.each([
    ['MPEG-1 layer III, 128 kbit/s, 44.1 kHz', 0xfffb9000, 417],
    ['MPEG-1 layer III with a padding byte', 0xfffb9200, 418],
    ['MPEG-1 layer II, 192 kbit/s, 48 kHz', 0xfffda400, 576],
    ['MPEG-2 layer III, 64 kbit/s, 22.05 kHz', 0xfff38000, 208],
    ['MPEG-2.5 layer III, 8 kbit/s, 8 kHz', 0xffe31800, 72],
  ])('takes %s, which tells where its next frame is', (_name, word, frameBytes) => {
    const frame = Buffer.alloc(frameBytes, 0x55);
    frame.writeUInt32BE(word);
    expect(detectAudio(Buffer.concat([frame, frame, frame]))).toBe('audio/mpeg');
    expect(detectAudio(Buffer.concat([frame, Buffer.from('x'), frame]))).toBeUndefined();
  });
});

describe('files that are no recording', () => {
  it.each([
    ['plain text', Buffer.from('the patient says that')],
    ['HTML', Buffer.from('<!doctype html><html></html>')],
    ['a Windows program', Buffer.concat([Buffer.from('MZ\x90\0', 'latin1'), Buffer.alloc(500)])],
    ['a ZIP archive', makeZip()],
    ['a PNG', makePng()],
    ['a JPEG', makeJpeg()],
    ['a GIF', makeGif()],
    ['a WebP, which is a RIFF as a WAV is', makeWebp()],
    ['a PDF', makePdf()],
    ['an AVI', Buffer.from('RIFF\x24\0\0\0AVI LIST', 'latin1')],
    ['text in UTF-16', Buffer.from('\ufeffthe patient says that', 'utf16le')],
    ['NULs', Buffer.alloc(5000)],
    ['0xFF again and again', Buffer.alloc(5000, 0xff)],
    ['a HEIC', mp4(['heic', 'mif1', 'heic'])],
    ['an AVIF', mp4(['avif', 'mif1', 'miaf'])],
    ['a picture that claims to be a film as well', mp4(['isom', 'mif1'])],
    ['an unknown brand', mp4(['evil'])],
    ['Matroska that is not WebM', webm('matroska')],
    ['WebM whose name is cut', webm('webm').subarray(0, 10)],
    ['a film in Ogg', Buffer.concat([oggPage('OpusHead\x01\x02\0\0\x80\xbb\0\0\0\0\0'), oggPage('\x80theora')])],
    ['an index in Ogg without sound', oggPage('fishead\0'.padEnd(64, '\0'))],
    ['a tag with text behind it', Buffer.concat([id3(20), Buffer.from('the patient says that')])],
    ['a tag with a PNG behind it', Buffer.concat([id3(20), makePng()])],
    ['a text that begins like a tag', Buffer.from('ID3 is what the patient says that')],
    ['a tag whose length is not one', Buffer.from('ID3\x03\0\0\xff\xff\xff\xffTIT2', 'latin1')],
    [
      'a frame head and then text',
      Buffer.concat([makeAudio('mp3', 9000).subarray(0, 100), Buffer.alloc(3000, 'text ')]),
    ],
    ['a file that is less than one frame', makeAudio('mp3', 9000).subarray(0, 100)],
    [
      'an AAC frame head and then text',
      Buffer.concat([makeAudio('aac', 9000).subarray(0, 7), Buffer.alloc(9000, 'text ')]),
    ],
  ])('refuses %s', (_name, bytes) => {
    expect(checkAudioHead(bytes)).toEqual(REFUSED);
  });

  it.each([
    ['instead of its chunks', Buffer.from('RIFF\x24\0\0\0WAVEthe patient says that it hurts', 'latin1')],
    ['instead of its samples', wav({ samples: Buffer.from('the patient says that it hurts') })],
    ['of many letters instead of its samples', wav({ samples: Buffer.alloc(9000, 'El niño tiene fiebre. ') })],
  ])('refuses a WAV header with text %s', (_name, bytes) => {
    expect(checkAudioHead(bytes.subarray(0, AUDIO_HEAD_BYTES))).toEqual(REFUSED);
  });
});

describe('headers that make no sense', () => {
  it('refuses a file of 0 bytes, and says so', () => {
    expect(checkAudioHead(new Uint8Array())).toEqual({ ok: false, reason: 'the file is empty' });
  });

  it.each([
    ['of no channels', wav({ channels: 0 })],
    ['of 17 channels', wav({ channels: 17 })],
    ['of 192 channels', wav({ channels: 192 })],
    ['of 1 sample a second', wav({ hertz: 1 })],
    ['of 4 billion samples a second', wav({ hertz: 0xffffffff })],
    ['of an unknown format', wav({ format: 0x1234 })],
    ['of an unknown extensible format', wav({ format: 0xfffe, realFormat: 0x1234 })],
    ['of 7 bits a sample', wav({ sampleBits: 7 })],
    ['of blocks of no bytes', wav({ format: 6, blockBytes: 0 })],
    ['of blocks that are not its channels and bits', wav({ blockBytes: 5 })],
    [
      'with samples before the format',
      Buffer.from('RIFF\x24\0\0\0WAVEdata\x08\0\0\0\x01\x02\x03\x04\x05\x06\x07\x08', 'latin1'),
    ],
  ])('refuses a WAV %s', (_name, bytes) => {
    expect(checkAudioHead(bytes)).toEqual(REFUSED);
  });

  it('takes a WAV of 16 channels and one of 4,000 samples a second, which are the limits', () => {
    expect(detectAudio(wav({ channels: 16 }))).toBe('audio/wav');
    expect(detectAudio(wav({ hertz: 4000 }))).toBe('audio/wav');
  });

  it.each([0, 1, 500_000])('refuses a FLAC of %d samples a second', (hertz) => {
    const bytes = Buffer.from(makeAudio('flac', 3000));
    bytes.writeUIntBE((hertz << 4) | (bytes.readUIntBE(18, 3) & 15), 18, 3);
    expect(checkAudioHead(bytes)).toEqual(REFUSED);
  });

  it('refuses Opus of 192 channels', () => {
    expect(checkAudioHead(oggPage('OpusHead\x01\xc0\0\0\x80\xbb\0\0\0\0\0'))).toEqual(REFUSED);
  });
});

describe('any bytes at all', () => {
  it('never fails, and never takes more than random bytes may look like', () => {
    const starts = AUDIO_KINDS.flatMap((kind) =>
      [0, 4, 12, 20, 40].map((length) => makeAudio(kind, 9000).subarray(0, length)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 300 }), (start, rest) => {
        const verdict = checkAudioHead(Buffer.concat([start, rest]));
        if (start.length === 0) expect(verdict.ok).toBe(false);
      }),
      { seed: 20_261_121, numRuns: 3000 },
    );
  });

  it.each(AUDIO_KINDS)('never fails on any beginning of %s', (kind) => {
    const audio = makeAudio(kind, 9000);
    for (let length = 0; length < AUDIO_HEAD_BYTES; length += 1) {
      const type = detectAudio(audio.subarray(0, length));
      expect([undefined, TYPE_OF[kind]]).toContain(type);
    }
  });
});

type WavParts = {
  readonly container?: string;
  readonly before?: readonly Uint8Array[];
  readonly format?: number;
  readonly realFormat?: number;
  readonly channels?: number;
  readonly hertz?: number;
  readonly sampleBits?: number;
  readonly blockBytes?: number;
  readonly dataBytes?: number;
  readonly samples?: Uint8Array;
};

function wav(parts: WavParts): Buffer {
  const { container = 'RIFF', before = [], format = 1, channels = 1, hertz = 16_000, sampleBits = 16 } = parts;
  const samples = parts.samples ?? Buffer.alloc(400);
  const body = Buffer.alloc(format === 0xfffe ? 40 : 16);
  body.writeUInt16LE(format, 0);
  body.writeUInt16LE(channels, 2);
  body.writeUInt32LE(hertz, 4);
  body.writeUInt16LE(parts.blockBytes ?? channels * Math.ceil(sampleBits / 8), 12);
  body.writeUInt16LE(sampleBits, 14);
  if (format === 0xfffe) body.writeUInt16LE(parts.realFormat ?? 1, 24);
  const data = riffChunk('data', samples);
  data.writeUInt32LE(parts.dataBytes ?? samples.length, 4);
  const size = Buffer.from([0xff, 0xff, 0xff, 0xff]);
  return Buffer.concat([Buffer.from(container), size, Buffer.from('WAVE'), ...before, riffChunk('fmt ', body), data]);
}

function id3(sizeBytes: number): Buffer {
  const size = [21, 14, 7, 0].map((shift) => (sizeBytes >> shift) & 0x7f);
  const head = Buffer.concat([Buffer.from('ID3\x03\0\0', 'latin1'), Buffer.from(size)]);
  return Buffer.concat([head, Buffer.from('TIT2'.slice(0, sizeBytes)), Buffer.alloc(Math.max(0, sizeBytes - 4), 1)]);
}

function oggPage(packet: string): Buffer {
  const head = Buffer.alloc(28);
  head.write('OggS');
  head[5] = 2;
  head[26] = 1;
  head[27] = packet.length;
  return Buffer.concat([head, Buffer.from(packet, 'latin1')]);
}

function mp4(brands: readonly string[]): Buffer {
  const [major = '', ...others] = brands;
  const size = Buffer.alloc(4);
  size.writeUInt32BE(16 + 4 * others.length);
  return Buffer.concat([size, Buffer.from(`ftyp${major}\0\0\0\0${others.join('')}`), Buffer.alloc(100)]);
}

function webm(docType: string): Buffer {
  const head = Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x83 + docType.length, 0x42, 0x82, 0x80 | docType.length]);
  return Buffer.concat([head, Buffer.from(docType), Buffer.from([0x18, 0x53, 0x80, 0x67, 0x01])]);
}
