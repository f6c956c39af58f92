import { describe, expect, it } from '@jest/globals';
import { mergeVersions } from '../../../src/domain/run/merge-versions.ts';

const BEFORE = { engine: 'chartwright 1', model: 'openai:a', answeredBy: 'a-1', prompt: 'p' };

describe('The versions of a run', () => {
  it('are those of the last step that has them', () => {
    expect(mergeVersions(BEFORE, { mapping: 'm' })).toEqual({ ...BEFORE, mapping: 'm' });
    expect(mergeVersions(BEFORE)).toEqual(BEFORE);
    expect(mergeVersions(BEFORE, { model: 'openai:a', answeredBy: 'a-2' })).toEqual({ ...BEFORE, answeredBy: 'a-2' });
  });

  it('do not show what answered for an earlier model beside a later one', () => {
    expect(mergeVersions(BEFORE, { model: 'openai:b' })).toEqual({
      engine: 'chartwright 1',
      model: 'openai:b',
      prompt: 'p',
    });
  });
});
