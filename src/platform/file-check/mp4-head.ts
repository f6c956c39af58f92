// Recognises the MP4 family by the brands that its first box names; pictures in the same container are refused.

const MAX_BOX_BYTES = 1024;
const BRANDS =
  /^(?:M4A |M4B |M4P |M4V |F4A |f4a |mp4[12]|mp71|isom|iso[2-9a-c]|avc1|dash|cmf[acs]|msdh|MSNV|NDAS|mmp4|3g[gp2][0-9a-z])$/;
const PICTURE_BRANDS = new Set([
  'heic',
  'heix',
  'heim',
  'heis',
  'hevc',
  'hevx',
  'mif1',
  'msf1',
  'avif',
  'avis',
  'crx ',
]);

export function isMp4Audio(bytes: Buffer): boolean {
  if (bytes.length < 16 || bytes.toString('latin1', 4, 8) !== 'ftyp') return false;
  const boxBytes = bytes.readUInt32BE(0);
  if (boxBytes < 16 || boxBytes > Math.min(MAX_BOX_BYTES, bytes.length) || boxBytes % 4 !== 0) return false;
  const brands = [bytes.toString('latin1', 8, 12)];
  for (let at = 16; at < boxBytes; at += 4) brands.push(bytes.toString('latin1', at, at + 4));
  return BRANDS.test(brands[0] ?? '') && !brands.some((brand) => PICTURE_BRANDS.has(brand));
}
