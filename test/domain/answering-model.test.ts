import { describe, expect, it } from '@jest/globals';
import { describeAnsweringModel, readAnsweringModel } from '../../src/domain/answering-model.ts';
import { fc } from '../support/fast-check.ts';

describe('The model that an answer names', () => {
  it('is known by its name and its fingerprint', () => {
    const read = readAnsweringModel({ model: 'gpt-5.4-2026-03-05', fingerprint: 'fp_44709d6fcb' });
    expect(read).toEqual({ model: 'gpt-5.4-2026-03-05', fingerprint: 'fp_44709d6fcb' });
    expect(read && describeAnsweringModel(read)).toBe('gpt-5.4-2026-03-05 fp_44709d6fcb');
    expect(readAnsweringModel({ model: '@cf/meta/llama-3.1:8b+q4', fingerprint: null })).toEqual({
      model: '@cf/meta/llama-3.1:8b+q4',
    });
  });

  it.each([undefined, null, '', '   ', 7, {}, ['gpt'], '\u202e'])('is unknown if the answer says %j', (model) => {
    expect(readAnsweringModel({ model, fingerprint: 'fp_1' })).toBeUndefined();
  });

  it('has no characters but those of names, and is not long, whatever a vendor sends', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 2000 }),
        fc.string({ unit: 'binary' }),
        (model, fingerprint) => {
          const read = readAnsweringModel({ model, fingerprint });
          if (read === undefined) return;
          expect(describeAnsweringModel(read)).toMatch(/^[A-Za-z0-9._:/@+-]{1,100}( [A-Za-z0-9._:/@+-]{1,64})?$/);
        },
      ),
    );
    const said = 'gpt<script>alert(1)</script>\n[31m patient "Ann"';
    expect(readAnsweringModel({ model: said })?.model).toBe('gptscriptalert1/script31mpatientAnn');
    expect(readAnsweringModel({ model: 'a'.repeat(5000) })?.model).toHaveLength(100);
  });
});
