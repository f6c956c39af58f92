// Reads a WAV file that arrives in pieces of any size and computes the power of each frame. It supports integers of 8 to 32 bits, floats, any
// number of channels, sizes that a recorder has not filled in, and chunks before the samples.

export type WavReader = {
  readonly feed: (bytes: Uint8Array) => void;
  /** True once the header was valid and the samples have begun. */
  readonly isReadable: () => boolean;
};

type WavParts = {
  readonly framesASecond: number;
  /** The mean square of a frame without its constant part; 1 is full scale. */
  readonly onFrame: (power: number) => void;
};
type Form = {
  readonly channels: number;
  readonly rate: number;
  readonly bytesASample: number;
  readonly isFloat: boolean;
};
type State =
  | { readonly at: 'start' | 'chunk' | 'format'; readonly needs: number }
  | { readonly at: 'skipping'; readonly left: number }
  | { readonly at: 'samples'; readonly left: number }
  | { readonly at: 'lost' };

const RIFF_BYTES = 12;
const CHUNK_BYTES = 8;
const MAX_FORMAT_BYTES = 4096;
/** Sizes that a recorder writes while the length is not known. */
const UNKNOWN_SIZES = new Set([0, 0xffff_ffff, 0x7fff_ffff]);
const PLAIN = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;

export function makeWavReader(parts: WavParts): WavReader {
  const machine: Machine = { state: { at: 'start', needs: RIFF_BYTES }, form: undefined, frames: undefined };
  let held: Uint8Array = new Uint8Array();
  return {
    feed(bytes) {
      let rest = held.length === 0 ? bytes : joinBytes(held, bytes);
      while (rest.length > 0) {
        const taken = step(machine, rest, parts);
        if (taken === 0) break;
        rest = rest.subarray(taken);
      }
      // A copy, because the caller may reuse the buffer. It is never more than a header or one sample of each channel.
      held = Uint8Array.from(rest);
    },
    isReadable: () => machine.frames !== undefined,
  };
}

type Machine = { state: State; form: Form | undefined; frames: Frames | undefined };

/** Returns the number of bytes consumed; 0 if more bytes are needed first. */
function step(machine: Machine, bytes: Uint8Array, parts: WavParts): number {
  const { state, frames } = machine;
  if (state.at === 'lost') return bytes.length;
  if (state.at === 'skipping') {
    const left = state.left - Math.min(state.left, bytes.length);
    machine.state = left > 0 ? { at: 'skipping', left } : { at: 'chunk', needs: CHUNK_BYTES };
    return state.left - left;
  }
  if (state.at === 'samples') {
    const taken = frames?.take(bytes.subarray(0, Math.min(bytes.length, state.left))) ?? 0;
    // If the size is not a multiple of a sample, the rest and everything after it is ignored.
    const isOver = taken === state.left || (taken === 0 && bytes.length >= state.left);
    machine.state = isOver ? { at: 'lost' } : { at: 'samples', left: state.left - taken };
    return isOver ? bytes.length : taken;
  }
  if (bytes.length < state.needs) return 0;
  machine.state = readHeader(machine, state.at, bytes.subarray(0, state.needs), parts);
  return state.needs;
}

function readHeader(machine: Machine, at: 'start' | 'chunk' | 'format', bytes: Uint8Array, parts: WavParts): State {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const next: State = { at: 'chunk', needs: CHUNK_BYTES };
  if (at === 'start') {
    const isWave = /^(RIFF|RF64|BW64)$/.test(nameAt(bytes, 0)) && nameAt(bytes, 8) === 'WAVE';
    return isWave ? next : { at: 'lost' };
  }
  if (at === 'format') {
    machine.form = readForm(view);
    return machine.form ? next : { at: 'lost' };
  }
  return beginChunk(machine, nameAt(bytes, 0), view.getUint32(4, true), parts);
}

function beginChunk(machine: Machine, name: string, size: number, { framesASecond, onFrame }: WavParts): State {
  // Chunks begin at even offsets.
  const padded = size + (size % 2);
  if (name === 'fmt ') return size < 16 || size > MAX_FORMAT_BYTES ? { at: 'lost' } : { at: 'format', needs: padded };
  if (name !== 'data') return padded === 0 ? { at: 'chunk', needs: CHUNK_BYTES } : { at: 'skipping', left: padded };
  if (machine.form === undefined) return { at: 'lost' };
  machine.frames = makeFrames(machine.form, framesASecond, onFrame);
  return { at: 'samples', left: UNKNOWN_SIZES.has(size) ? Number.POSITIVE_INFINITY : size };
}

function joinBytes(one: Uint8Array, other: Uint8Array): Uint8Array {
  const joined = new Uint8Array(one.length + other.length);
  joined.set(one);
  joined.set(other, one.length);
  return joined;
}

function nameAt(bytes: Uint8Array, index: number): string {
  return String.fromCharCode(...bytes.subarray(index, index + 4));
}

function readForm(view: DataView): Form | undefined {
  const given = view.getUint16(0, true);
  const code = given === EXTENSIBLE && view.byteLength >= 26 ? view.getUint16(24, true) : given;
  const [channels, rate, bits] = [view.getUint16(2, true), view.getUint32(4, true), view.getUint16(14, true)];
  const isFloat = code === FLOAT;
  const isKnown = isFloat ? bits === 32 || bits === 64 : code === PLAIN && [8, 16, 24, 32].includes(bits);
  if (!isKnown || channels < 1 || channels > 256 || rate < 1000 || rate > 1_000_000) return undefined;
  return { channels, rate, bytesASample: bits / 8, isFloat };
}

/** Consumes whole samples only, and returns the number of bytes. */
type Frames = { readonly take: (bytes: Uint8Array) => number };

function makeFrames(
  { channels, rate, bytesASample, isFloat }: Form,
  framesASecond: number,
  onFrame: (power: number) => void,
) {
  const blockBytes = channels * bytesASample;
  const sums = new Float64Array(channels);
  const squares = new Float64Array(channels);
  const read = sampleReader(bytesASample, isFloat);
  // A frame may be one sample longer than the one before, so that frames stay in time.
  let [count, samples, frame] = [0, 0, 1];

  const close = () => {
    let power = 0;
    for (let channel = 0; channel < channels; channel += 1) {
      const mean = (sums[channel] ?? 0) / count;
      power += Math.max(0, (squares[channel] ?? 0) / count - mean * mean);
    }
    onFrame(power / channels);
    sums.fill(0);
    squares.fill(0);
    count = 0;
    frame += 1;
  };

  return {
    take(bytes: Uint8Array): number {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      const size = bytes.length - (bytes.length % blockBytes);
      for (let at = 0; at < size; at += blockBytes) {
        for (let channel = 0; channel < channels; channel += 1) {
          const value = read(view, at + channel * bytesASample);
          sums[channel] = (sums[channel] ?? 0) + value;
          squares[channel] = (squares[channel] ?? 0) + value * value;
        }
        count += 1;
        samples += 1;
        if (samples * framesASecond >= frame * rate) close();
      }
      return size;
    },
  };
}

/** Reads a sample between -1 and 1. A value that is not a number is silence. */
function sampleReader(bytesASample: number, isFloat: boolean): (view: DataView, at: number) => number {
  if (isFloat) {
    const read = (view: DataView, at: number) =>
      bytesASample === 4 ? view.getFloat32(at, true) : view.getFloat64(at, true);
    return (view, at) => {
      const value = read(view, at);
      return Number.isFinite(value) ? Math.max(-1, Math.min(1, value)) : 0;
    };
  }
  if (bytesASample === 1) return (view, at) => (view.getUint8(at) - 128) / 128;
  if (bytesASample === 2) return (view, at) => view.getInt16(at, true) / 32_768;
  if (bytesASample === 3) return (view, at) => (view.getUint16(at, true) + view.getInt8(at + 2) * 65_536) / 8_388_608;
  return (view, at) => view.getInt32(at, true) / 2_147_483_648;
}
