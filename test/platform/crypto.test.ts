import { describe, expect, it } from '@jest/globals';
import { deriveKey, openChunk, SEAL_OVERHEAD_BYTES, sealChunk } from '../../src/platform/crypto.ts';
import { fc } from '../support/fast-check.ts';

const key = deriveKey(new Uint8Array(32).fill(1), 'test');
const place = { context: 'org-1/stream-1', index: 0, isLast: true };
const plain = Buffer.from('made-up words');

describe('a sealed chunk', () => {
  it('is opened again at its place', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        const sealed = sealChunk(key, bytes, place);
        expect(sealed.length).toBe(bytes.length + SEAL_OVERHEAD_BYTES);
        expect(new Uint8Array(openChunk(key, sealed, place))).toEqual(bytes);
      }),
    );
  });

  it('is refused with any one bit flipped', () => {
    const sealed = sealChunk(key, plain, place);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => openChunk(key, changed, place)).toThrow();
    }
  });

  it.each([
    ['cut', (sealed: Buffer) => sealed.subarray(0, -1), place, key],
    ['emptied', () => Buffer.alloc(0), place, key],
    ['moved to another position', (sealed: Buffer) => sealed, { ...place, index: 1 }, key],
    ['passed off as not the last', (sealed: Buffer) => sealed, { ...place, isLast: false }, key],
    ['moved to another organization', (sealed: Buffer) => sealed, { ...place, context: 'org-2/stream-1' }, key],
    ['opened with another key', (sealed: Buffer) => sealed, place, deriveKey(new Uint8Array(32).fill(1), 'other')],
  ])('is refused when it was %s', (_, change, otherPlace, otherKey) => {
    const sealed = Buffer.from(sealChunk(key, plain, place));
    expect(() => openChunk(otherKey, change(sealed), otherPlace)).toThrow();
  });

  it('never looks the same twice', () => {
    expect(Buffer.compare(sealChunk(key, plain, place), sealChunk(key, plain, place))).not.toBe(0);
  });
});
