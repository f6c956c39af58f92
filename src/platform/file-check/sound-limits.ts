// Limits on the claims of an audio header: beyond them the header makes no sense.

const MAX_CHANNELS = 16;
const MIN_HERTZ = 4000;
const MAX_HERTZ = 384_000;

export function isSaneSound({ channels, hertz }: { readonly channels: number; readonly hertz: number }): boolean {
  return channels >= 1 && channels <= MAX_CHANNELS && hertz >= MIN_HERTZ && hertz <= MAX_HERTZ;
}
