import { describe, expect, it } from '@jest/globals';
import { engineRefusal, whyRunsWait } from '../../../src/domain/site/engine-choice.ts';

const RULES = 'builtin:rules@1';
const MODEL = 'openai:gpt-5.4';

describe('the engines of a site', () => {
  it.each([
    [{ allow: ['vendor'] }, MODEL],
    [{ allow: ['builtin'] }, RULES],
    [{ allow: ['vendor', 'builtin'] }, RULES],
    [{ allow: ['vendor'], reasoner: MODEL }, MODEL],
    [{ allow: ['vendor'], reasoner: 'gpt-5.4' }, MODEL],
    [{ allow: ['builtin'], reasoner: 'rules@1' }, RULES],
  ] as const)('with engines %j the site allows %s', (engines, engine) => {
    expect(engineRefusal(engine, engines)).toBeUndefined();
  });

  it('a site that does not allow the rules gets advice on how to configure a model or allow them', () => {
    expect(engineRefusal(RULES, { allow: ['vendor'] })).toBe(
      'The site does not allow builtin:rules@1 (engines.allow in site.yaml). Set OPENAI_API_KEY or OPENAI_BASE_URL; for a trial without a model set engines: { allow: [builtin] }',
    );
  });

  it('a site that allows only the rules refuses a model', () => {
    expect(engineRefusal(MODEL, { allow: ['builtin'] })).toMatch(/does not allow openai:gpt-5\.4.*allow: \[vendor\]/);
  });

  it.each([MODEL, RULES])('a site that requires another model refuses %s', (engine) => {
    const refusal = engineRefusal(engine, { allow: ['vendor', 'builtin'], reasoner: 'gpt-6' });
    expect(refusal).toContain('requires gpt-6');
    expect(refusal).toContain(engine);
  });

  it('the runs of a site that is off do not wait', () => {
    const engines = { allow: ['vendor'] } as const;
    expect(whyRunsWait(RULES, { mode: 'off', engines })).toBeUndefined();
    expect(whyRunsWait(RULES, { mode: 'shadow', engines })).toContain('engines.allow');
  });
});
