import { describe, expect, test } from '@jest/globals';
import { engineRefusal, whyRunsWait } from '../../../src/domain/site/engine-choice.ts';

const RULES = 'builtin:rules@1';
const MODEL = 'openai:gpt-5.4';

describe('A site', () => {
  test.each([
    [{ allow: ['vendor'] }, MODEL],
    [{ allow: ['builtin'] }, RULES],
    [{ allow: ['vendor', 'builtin'] }, RULES],
    [{ allow: ['vendor'], reasoner: MODEL }, MODEL],
    [{ allow: ['vendor'], reasoner: 'gpt-5.4' }, MODEL],
    [{ allow: ['builtin'], reasoner: 'rules@1' }, RULES],
  ] as const)('with engines %j lets %s work for it', (engines, engine) => {
    expect(engineRefusal(engine, engines)).toBeUndefined();
  });

  test('that does not name the rules gets nothing of them, and reads how to have a model, or them', () => {
    expect(engineRefusal(RULES, { allow: ['vendor'] })).toBe(
      'The site does not allow builtin:rules@1 (engines.allow in site.yaml). Set OPENAI_API_KEY or OPENAI_BASE_URL; for a trial without a model set engines: { allow: [builtin] }',
    );
  });

  test('that allows the rules alone gets nothing of a model', () => {
    expect(engineRefusal(MODEL, { allow: ['builtin'] })).toMatch(/does not allow openai:gpt-5\.4.*allow: \[vendor\]/);
  });

  test.each([MODEL, RULES])('that waits for another model gets nothing of %s', (engine) => {
    const refusal = engineRefusal(engine, { allow: ['vendor', 'builtin'], reasoner: 'gpt-6' });
    expect(refusal).toContain('requires gpt-6');
    expect(refusal).toContain(engine);
  });

  test('that is off keeps no run waiting', () => {
    const engines = { allow: ['vendor'] } as const;
    expect(whyRunsWait(RULES, { mode: 'off', engines })).toBeUndefined();
    expect(whyRunsWait(RULES, { mode: 'shadow', engines })).toContain('engines.allow');
  });
});
