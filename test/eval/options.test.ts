import { describe, expect, it } from '@jest/globals';
import { chooseReasoner, chooseVerifier } from './choose-reasoner.ts';
import { readOptions } from './options.ts';
import { makeProgress } from './progress.ts';

describe('The options of an evaluation', () => {
  it('are all cases and the configured reasoner by default', () => {
    expect(readOptions([])).toEqual({
      reasoner: undefined,
      groups: ['seen', 'unseen', 'late', 'notes', 'sandbox'],
      json: false,
      write: false,
      all: false,
      help: false,
    });
  });

  it('choose a part and a reasoner', () => {
    expect(readOptions(['--only', 'notes', '--reasoner', 'configured'])).toMatchObject({
      groups: ['notes'],
      reasoner: 'configured',
    });
  });

  it('write about the rules, whatever reasoner is configured', () => {
    expect(readOptions(['--write'])).toMatchObject({ reasoner: 'builtin', write: true });
  });

  it('choose the suite of inventions, which may be written', () => {
    expect(readOptions(['--suite', 'inventions', '--write'])).toMatchObject({ suite: 'inventions', write: true });
  });

  it('choose the suite of claims, alone or with the configured verifier', () => {
    expect(readOptions(['--suite', 'claims'])).toMatchObject({ suite: 'claims', reasoner: undefined });
    expect(readOptions(['--suite', 'claims', '--reasoner', 'configured'])).toMatchObject({ reasoner: 'configured' });
  });

  it.each([
    ['--suite', 'some'],
    ['--suite', 'claims', '--only', 'seen'],
    ['--suite', 'claims', '--write', '--reasoner', 'configured'],
    ['--suite', 'inventions', '--only', 'seen'],
    ['--suite', 'inventions', '--all'],
    ['--suite', 'inventions', '--reasoner', 'configured'],
    ['--only', 'some'],
    ['--reasoner', 'somebody'],
    ['--write', '--only', 'seen'],
    ['--write', '--reasoner', 'configured'],
    ['--faster'],
  ])('refuse %s %s %s %s', (...given) => {
    expect(() => readOptions(given)).toThrow();
  });
});

describe('Who is scored', () => {
  const MODEL = { OPENAI_API_KEY: 'made-up', OPENAI_MODEL: 'small' };

  it.each([
    [undefined, {}, 'builtin:', true],
    [undefined, MODEL, 'openai:small', false],
    ['configured', MODEL, 'openai:small', false],
    ['builtin', MODEL, 'builtin:', true],
  ] as const)('with --reasoner %s and the settings %j is %s', async (asked, environment, engine, isBuiltin) => {
    const chosen = await chooseReasoner(asked, environment);
    expect(chosen.reasoner.engine).toContain(engine);
    expect(chosen.isBuiltin).toBe(isBuiltin);
  });

  it('is absent if a configured reasoner is asked for and there is none', async () => {
    await expect(chooseReasoner('configured', {})).rejects.toThrow('OPENAI_API_KEY');
  });
});

describe('Who checks claims a second time', () => {
  it('is the configured verifier if it is asked for, and otherwise no one', async () => {
    const settings = { VERIFIER_MODEL: 'judge', VERIFIER_API_KEY: 'made-up' };
    expect(await chooseVerifier(undefined, settings)).toBeUndefined();
    expect((await chooseVerifier('configured', settings))?.engine).toBe('openai:judge');
    await expect(chooseVerifier('configured', {})).rejects.toThrow('VERIFIER_MODEL');
  });
});

describe('Progress', () => {
  const shown = (isTerminal: boolean, of: number) => {
    const texts: string[] = [];
    const onDone = makeProgress({ isTerminal, write: (text) => texts.push(text) });
    for (let done = 1; done <= of; done++) onDone(done, of);
    return texts;
  };

  it('is one line in a terminal', () => {
    expect(shown(true, 3)).toEqual(['\r1 of 3', '\r2 of 3', '\r3 of 3\n']);
  });

  it('says of what, where it is not all', () => {
    const texts: string[] = [];
    const what = 'sandbox';
    makeProgress({ isTerminal: true, what, write: (text) => texts.push(text) })(3, 14);
    makeProgress({ isTerminal: false, what, write: (text) => texts.push(text) })(14, 14);
    expect(texts).toEqual(['\rsandbox 3 of 14', 'sandbox 14 of 14 (100 %)\n']);
  });

  it('is a line at each quarter elsewhere', () => {
    expect(shown(false, 10)).toEqual([
      '3 of 10 (25 %)\n',
      '5 of 10 (50 %)\n',
      '8 of 10 (75 %)\n',
      '10 of 10 (100 %)\n',
    ]);
  });
});
