import { describe, expect, it } from '@jest/globals';
import type { MissingStatement } from '../../../../src/domain/note/check-report.ts';
import type { JudgedStatement } from '../../../../src/domain/note/check-verdicts.ts';
import { toConversation } from '../../../../src/domain/recording/conversation.ts';
import { checkHeader, checkMember, isCheckAsked } from '../../../../src/inbound/http/api/check-answer.ts';
import { noteCheck } from '../../../../src/inbound/http/api/response-schemas.ts';

const place = { kind: 'drug', section: 'PLAN', from: 0, to: 9, text: 'metformin' } as const;
const SUPPORTED: JudgedStatement = {
  ...place,
  verdict: 'supported',
  effect: 'none',
  moments: [{ utterance: 0, startSeconds: 7 }],
};
const UNSUPPORTED: JudgedStatement = { ...place, verdict: 'unsupported', effect: 'mark', moments: [] };
const CONTRADICTED: JudgedStatement = {
  ...place,
  verdict: 'contradicted',
  effect: 'hold',
  moments: [{ utterance: 1, startSeconds: 2 }],
};

const MISSING: MissingStatement = {
  kind: 'allergy',
  text: 'I cannot take aspirin.',
  utterance: 0,
  startSeconds: 7,
};

describe('the check of a note for a caller', () => {
  it('the header counts the statements by verdict, also if there are none', () => {
    expect(checkHeader({ statements: [SUPPORTED, UNSUPPORTED, CONTRADICTED, SUPPORTED] })).toBe(
      'supported=2, unsupported=1, contradicted=1, misplaced=0, conflict=0',
    );
    expect(checkHeader({ statements: [] })).toBe('supported=0, unsupported=0, contradicted=0, misplaced=0, conflict=0');
  });

  it('only the preference include=check asks for the statements', () => {
    const headers = ['wait=1, include=check', 'include="check"', 'include', 'check', undefined];
    expect(headers.map(isCheckAsked)).toEqual([true, true, false, false, false]);
  });

  it('a statement names the message of the conversation that says it, even if utterances are not in order', () => {
    const utterances = [7, 2].map((startSeconds) => {
      return { speaker: 0, text: `at ${startSeconds}`, startSeconds, endSeconds: 9, confidence: 1 };
    });
    const { statements } = checkMember(
      { statements: [SUPPORTED, UNSUPPORTED, CONTRADICTED], missing: [] },
      { utterances },
    );
    expect(statements.map(({ said }) => said)).toEqual([
      [{ message: 1, startSeconds: 7 }],
      [],
      [{ message: 0, startSeconds: 2 }],
    ]);
    const transcript = { utterances, language: 'en', durationSeconds: 9 };
    const { messages } = toConversation({ transcript, includeTimestamps: true, makeId: () => 'id' });
    expect(messages.map(({ text }) => text)).toEqual(['at 2', 'at 7']);
  });

  it('a statement has the fields of its schema and no other', () => {
    const utterances = [{ speaker: 0, text: 'Metformin.', startSeconds: 7, endSeconds: 9, confidence: 1 }];
    const check = checkMember({ statements: [SUPPORTED, UNSUPPORTED], missing: [MISSING] }, { utterances });
    expect(() => noteCheck.strict().parse(check)).not.toThrow();
    expect(check.statements[1]).toEqual({
      section: 'PLAN',
      text: 'metformin',
      kind: 'drug',
      verdict: 'unsupported',
      effect: 'mark',
      said: [],
    });
    expect(check.missing).toEqual([{ kind: 'allergy', text: 'I cannot take aspirin.', message: 0, startSeconds: 7 }]);
  });
});
