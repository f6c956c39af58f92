import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, jest } from '@jest/globals';
import { askForDiagnosis } from '../../../src/outbound/openai/diagnosis-prompt.ts';
import { askForNote } from '../../../src/outbound/openai/note-prompt.ts';
import { makeOpenAiReasoner } from '../../../src/outbound/openai/openai-reasoner.ts';
import { hashOf, promptVersion } from '../../../src/outbound/openai/prompt-version.ts';
import type { Question } from '../../../src/outbound/openai/question.ts';
import { aHistory, aNoteRequest } from '../../contracts/reasoner-contract.ts';

describe('The version of the prompts', () => {
  it('has twelve digits, is a property of the reasoner, and does not depend on the model', () => {
    const timeouts = { firstByteMs: 1, idleMs: 1, totalMs: 1 };
    const versions = ['one', 'two'].map((model) => makeOpenAiReasoner({ model, timeouts, fetch }).prompt);
    expect(versions).toEqual([promptVersion(), promptVersion()]);
    expect(promptVersion()).toMatch(/^[0-9a-f]{12}$/);
  });

  it('is the same on another day', () => {
    const today = promptVersion();
    jest.useFakeTimers({ now: new Date('2031-07-07T12:00:00Z') });
    try {
      expect(promptVersion()).toBe(today);
      expect(hashOf([askForDiagnosis(aHistory)])).not.toBe(hashOf([askForDiagnosis(aHistory, new Date(0))]));
    } finally {
      jest.useRealTimers();
    }
  });

  it('is the same in another process', () => {
    const file = pathToFileURL('src/outbound/openai/prompt-version.ts').href;
    const script = `import { promptVersion } from ${JSON.stringify(file)}; process.stdout.write(promptVersion());`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(stdout).toBe(promptVersion());
  });

  it('is the same for two calls about the same data, although their marks differ', () => {
    const now = new Date();
    expect(hashOf([askForDiagnosis(aHistory, now)])).toBe(hashOf([askForDiagnosis(aHistory, now)]));
    expect(hashOf([askForNote(aNoteRequest, now)])).toBe(hashOf([askForNote(aNoteRequest, now)]));
  });

  it.each([
    ['diagnosis', askForDiagnosis(aHistory)],
    ['note', askForNote(aNoteRequest)],
  ])('changes with each word of the prompt for a %s, and with the schema of its answer', (_, question) => {
    const before = hashOf([question]);
    for (const [index, message] of question.messages.entries()) {
      const changed = { ...message, content: `${message.content}.` } as Question['messages'][number];
      expect(hashOf([{ ...question, messages: question.messages.with(index, changed) }])).not.toBe(before);
    }
    const schema = { ...question.schema, description: 'another' };
    expect(hashOf([{ ...question, schema }])).not.toBe(before);
    expect(hashOf([{ ...question, schemaName: 'another' }])).not.toBe(before);
  });
});
