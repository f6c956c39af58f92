import { describe, expect, it } from '@jest/globals';
import { RECORDING_TYPES } from '../../../src/domain/recording/recording.ts';
import { makeSoundMeter } from '../../../src/domain/recording/sound-meter.ts';
import { fc } from '../../support/fast-check.ts';

type Form = { readonly bits: number; readonly isFloat?: boolean; readonly channels?: number; readonly rate?: number };
/** Loudness of full scale at a second, 0 to 1. */
type Loudness = (seconds: number) => number;

const RATE = 8000;

/** A tone of 200 Hz as loud as asked for, over a faint hiss. */
function samplesOf(seconds: number, loudness: Loudness, rate = RATE): Float64Array {
  let seed = 1;
  return Float64Array.from({ length: Math.round(seconds * rate) }, (_, index) => {
    seed = (seed * 16_807) % 2_147_483_647;
    const hiss = (seed / 2_147_483_647 - 0.5) * 0.002;
    return Math.sin((2 * Math.PI * 200 * index) / rate) * loudness(index / rate) + hiss;
  });
}

function encode(samples: Float64Array, { bits, isFloat = false, channels = 1 }: Form): Buffer {
  const bytes = bits / 8;
  const out = Buffer.alloc(samples.length * channels * bytes);
  samples.forEach((sample, index) => {
    for (let channel = 0; channel < channels; channel += 1) {
      const at = (index * channels + channel) * bytes;
      // Only the last channel hears anything.
      const value = channel === channels - 1 ? sample : 0;
      if (isFloat && bits === 32) out.writeFloatLE(value, at);
      else if (isFloat) out.writeDoubleLE(value, at);
      else if (bits === 8) out.writeUInt8(Math.round(value * 127) + 128, at);
      else out.writeIntLE(Math.round(value * (2 ** (bits - 1) - 1)), at, bytes);
    }
  });
  return out;
}

function chunk(name: string, body: Buffer, size = body.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(size, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

function formatOf({ bits, isFloat = false, channels = 1, rate = RATE }: Form, isExtensible = false): Buffer {
  const body = Buffer.alloc(isExtensible ? 40 : 16);
  const code = isFloat ? 3 : 1;
  body.writeUInt16LE(isExtensible ? 0xfffe : code, 0);
  body.writeUInt16LE(channels, 2);
  body.writeUInt32LE(rate, 4);
  body.writeUInt32LE((rate * channels * bits) / 8, 8);
  body.writeUInt16LE((channels * bits) / 8, 12);
  body.writeUInt16LE(bits, 14);
  if (isExtensible) body.writeUInt16LE(code, 24);
  return chunk('fmt ', body);
}

function riff(...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('RIFF....WAVE', 'latin1'), ...chunks]);
}

function wav(seconds: number, loudness: Loudness, form: Form = { bits: 16 }): Buffer {
  return riff(formatOf(form), chunk('data', encode(samplesOf(seconds, loudness, form.rate), form)));
}

function spansOf(bytes: Uint8Array, pieceBytes = bytes.length) {
  const meter = makeSoundMeter('audio/wav');
  for (let from = 0; from < bytes.length; from += pieceBytes) meter.feed(bytes.subarray(from, from + pieceBytes));
  return meter.spans();
}

const between =
  (...spans: (readonly [from: number, to: number])[]): Loudness =>
  (seconds) =>
    spans.some(([from, to]) => seconds >= from && seconds < to) ? 0.3 : 0;
/** Four syllables a second. */
const speaking: Loudness = (seconds) => 0.3 * Math.max(0, Math.sin(2 * Math.PI * 4 * seconds)) ** 2;

const near = (startSeconds: number, endSeconds: number) =>
  expect.objectContaining({
    startSeconds: expect.closeTo(startSeconds, 1),
    endSeconds: expect.closeTo(endSeconds, 1),
  });

describe('the sound spans of a recording', () => {
  it.each<Form>([
    { bits: 8 },
    { bits: 16 },
    { bits: 24 },
    { bits: 32 },
    { bits: 32, isFloat: true },
    { bits: 64, isFloat: true },
    { bits: 16, channels: 2 },
    { bits: 24, channels: 6 },
    { bits: 16, rate: 44_100 },
  ])('they are measured from samples of the form %j', (form) => {
    expect(spansOf(wav(4, between([1, 2], [3, 3.5]), form))).toEqual([near(1, 2), near(3, 3.5)]);
  });

  it('a pause between two words does not end a span, and a click is no span', () => {
    expect(spansOf(wav(4, between([1, 1.5], [1.7, 2], [3, 3.01])))).toEqual([near(1, 2)]);
  });

  it('a constant background noise is silence, and speech above it is sound', () => {
    const humming: Loudness = (seconds) => (seconds > 41 && seconds < 42 ? 0.3 : 0.02);
    const spans = spansOf(wav(45, humming)) ?? [];
    expect(spans.at(-1)).toEqual(near(41, 42));
    expect(spans.filter(({ startSeconds }) => startSeconds > 35)).toHaveLength(1);
  });

  it('a constant offset of a microphone is no sound', () => {
    const samples = samplesOf(2, () => 0).map((sample) => sample + 0.4);
    expect(spansOf(riff(formatOf({ bits: 16 }), chunk('data', encode(samples, { bits: 16 }))))).toEqual([]);
  });

  it('sound that changes like syllables is like speech; a tone and a hum are not', () => {
    expect(spansOf(wav(5, (seconds) => (seconds > 1 && seconds < 4 ? speaking(seconds) : 0)))).toEqual([
      expect.objectContaining({ isLikeSpeech: true }),
    ]);
    const [tone] = spansOf(wav(5, between([1, 4]))) ?? [];
    expect(tone).not.toHaveProperty('isLikeSpeech');
  });

  it('the size of the pieces does not matter', () => {
    const bytes = wav(1.5, between([0.5, 1]), { bits: 24, channels: 2, rate: 4000 });
    const whole = spansOf(bytes);
    fc.assert(fc.property(fc.integer({ min: 1, max: 5000 }), (size) => expect(spansOf(bytes, size)).toEqual(whole)));
  });

  it('the header may be longer, extensible, and without a length', () => {
    const form = { bits: 16 };
    const data = encode(samplesOf(2, between([1, 2])), form);
    const list = chunk('LIST', Buffer.from('odd'));
    for (const bytes of [
      riff(list, formatOf(form), list, chunk('data', data)),
      riff(formatOf(form, true), chunk('data', data)),
      riff(formatOf(form), chunk('data', data, 0)),
      riff(formatOf(form), chunk('data', data, 0xffff_ffff)),
      riff(formatOf(form), chunk('data', data), chunk('LIST', Buffer.alloc(40_000, 200))),
      riff(formatOf(form), chunk('data', data, data.length - 1), chunk('LIST', Buffer.alloc(40_000, 200))),
      riff(chunk('JUNK', Buffer.alloc(0)), formatOf(form), chunk('data', data)),
    ]) {
      expect(spansOf(bytes)).toEqual([near(1, 2)]);
    }
  });

  it('a truncated file gives the spans of its part', () => {
    const bytes = wav(4, between([1, 2], [3, 4]));
    expect(spansOf(bytes.subarray(0, bytes.length / 2))).toEqual([near(1, 2)]);
  });

  it.each([
    ['nothing at all', Buffer.alloc(0)],
    ['something else', Buffer.from('ID3 and so on, and so on, and so on')],
    ['no samples', riff(formatOf({ bits: 16 }))],
    ['samples before their form', riff(chunk('data', Buffer.alloc(100)))],
    ['a form that we do not know', riff(formatOf({ bits: 4 }), chunk('data', Buffer.alloc(100)))],
    ['no channels', riff(formatOf({ bits: 16, channels: 0 }), chunk('data', Buffer.alloc(100)))],
    ['a header that breaks off', wav(1, () => 0).subarray(0, 30)],
  ])('%s cannot be measured', (_, bytes) => {
    expect(spansOf(bytes)).toBeUndefined();
  });

  it.each(RECORDING_TYPES.filter((type) => type !== 'audio/wav'))('%s cannot be measured', (type) => {
    const meter = makeSoundMeter(type);
    meter.feed(wav(1, () => 0.3));
    expect(meter.spans()).toBeUndefined();
  });

  it('a silent recording has no spans', () => {
    expect(spansOf(wav(2, () => 0))).toEqual([]);
  });

  it('hours of short sounds give a limited list', () => {
    const rate = 1000;
    const burst = samplesOf(0.5, between([0, 0.1]), rate);
    const piece = encode(burst, { bits: 16 });
    const meter = makeSoundMeter('audio/wav');
    meter.feed(riff(formatOf({ bits: 16, rate }), chunk('data', Buffer.alloc(0), 0)));
    for (let count = 0; count < 30_000; count += 1) meter.feed(piece);
    const spans = meter.spans() ?? [];
    expect(spans.length).toBeGreaterThan(0);
    expect(spans.length).toBeLessThanOrEqual(20_000);
    expect(spans.at(-1)?.endSeconds).toBeCloseTo(14_999.6, 0);
  });
});
