import { describe, expect, it } from '@jest/globals';
import { judgeMove, type SessionRun } from '../../../src/domain/run/moved-session.ts';

const HERE = 'Patient/p-1';
const THERE = 'Patient/p-2';

function aRun(more: Partial<SessionRun>): SessionRun {
  return { id: 'run-1', status: 'written', patient: HERE, isDry: false, ...more } as SessionRun;
}

describe('what happens to a session whose encounter belongs to another patient now', () => {
  it.each<[string, Partial<SessionRun>, string]>([
    ['written documents are moved', { status: 'written' }, 'move'],
    ['a held draft is moved', { status: 'held', reason: 'review' }, 'move'],
    ['a run in process is waited for', { status: 'running' }, 'wait'],
    [
      'a run that was skipped by the other patient’s consent is made anew',
      { status: 'skipped', reason: 'consent' },
      'move',
    ],
    ['a run that found nothing to document stays', { status: 'skipped', reason: 'no-speech' }, 'stay'],
    ['a rejected draft is not made anew', { status: 'rejected' }, 'retract'],
    ['a draft whose rejection is not finished is not made anew', { status: 'parked', reason: 'rejected' }, 'retract'],
    ['a recalled draft is not made anew', { status: 'retracted' }, 'stay'],
    ['a draft that was retracted by an earlier move is made anew', { status: 'retracted', movedTo: THERE }, 'move'],
  ])('%s', (_title, run, verdict) => {
    expect(judgeMove(aRun(run), THERE)).toBe(verdict);
  });

  it('a run whose patient is not known stays', () => {
    const { patient: _, ...run } = aRun({ status: 'parked' });
    expect(judgeMove(run, THERE)).toBe('stay');
  });
});

describe('what happens to a session whose encounter has come back to its patient', () => {
  it.each<[string, Partial<SessionRun>, string]>([
    ['an encounter that never moved stays', { status: 'written' }, 'stay'],
    ['documents that are still in the chart are right again', { status: 'written', movedTo: THERE }, 'settle'],
    ['documents that were retracted by the move are made anew', { status: 'retracted', movedTo: THERE }, 'move'],
    ['a rejected draft stays rejected', { status: 'rejected', movedTo: THERE }, 'settle'],
    [
      'a draft that no one decided about in time is not made anew',
      { status: 'parked', reason: 'expired', movedTo: THERE },
      'settle',
    ],
    [
      'documents that a person had to retract are made anew',
      { status: 'parked', reason: 'retract-by-hand', movedTo: THERE },
      'move',
    ],
  ])('%s', (_title, run, verdict) => {
    expect(judgeMove(aRun(run), HERE)).toBe(verdict);
  });
});
