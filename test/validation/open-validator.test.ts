import { afterEach, describe, expect, it } from '@jest/globals';
import type { ThreadParts } from '../../src/platform/question-thread.ts';
import { openValidator, type Validator } from '../../src/validation/open-validator.ts';
import { aFlag, goodSet } from './good-resources.ts';

const never = new AbortController().signal;
const sound = aFlag({ author: { display: 'x' } });
const broken = aFlag({ author: { display: 'x' }, identifier: undefined, status: 'bogus' });

const opened: Validator[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((validator) => validator.close()));
});

function aValidator(parts: Partial<ThreadParts> = {}): Validator {
  const validator = openValidator(parts);
  opened.push(validator);
  return validator;
}

/** A thread that does what a resource says: `crash`, `exit`, `hang`, `fill` the memory; else it answers with what it was given. */
const PUPPET = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ id, question }) => {
      const [{ order, message = '' }] = question.resources;
      if (order === 'crash') throw new Error('CANARY');
      if (order === 'exit') process.exit(0);
      if (order === 'hang') for (;;);
      if (order === 'fill') for (const all = []; ; ) all.push(new Array(1000).fill(all.length));
      parentPort.postMessage({ id, answer: [{ resource: 0, element: 'Resource', message, severity: 'error' }] });
    });
  `)}`,
);

describe('the validator', () => {
  it('a whole set is validated while the main thread goes on', async () => {
    const set = goodSet();
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 1);
    const fullUrls = set.map(({ fullUrl }) => fullUrl);
    const resources = set.map(({ resource }) => resource);
    expect(await aValidator().validate(resources, never, { fullUrls })).toEqual([]);
    clearInterval(turning);
    // Loading the definitions alone takes half a second.
    expect(turns).toBeGreaterThan(20);
  });

  it('answers those who ask at once, each with their own', async () => {
    const validator = aValidator();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => validator.validate(index % 2 === 0 ? [sound] : [sound, broken], never)),
    );
    for (const [index, problems] of answers.entries()) {
      expect(problems.map(({ resource, element }) => `${resource} ${element}`)).toEqual(
        index % 2 === 0 ? [] : ['1 Flag.status'],
      );
    }
  });

  it('tells of what it cannot even hand over, and looks at the rest', async () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    const problems = await aValidator().validate([deep, { resourceType: 'Flag', code: () => 'x' }, broken], never, {
      fullUrls: ['urn:uuid:1', undefined, 'urn:uuid:2'],
    });
    expect(problems.map(({ resource, message }) => `${resource} ${message}`)).toEqual([
      '0 is nested deeper than 64 levels',
      '1 has something in it that is no JSON',
      expect.stringMatching(/^2 must be one of active, /),
    ]);
  });

  it('does not call a reference to what it could not hand over a mistake', async () => {
    const lost = { resourceType: 'Device', status: () => 'x' };
    const pointing = aFlag({ author: { reference: 'urn:uuid:1' } });
    const problems = await aValidator().validate([lost, pointing], never, { fullUrls: ['urn:uuid:1'] });
    expect(problems.map(({ resource }) => resource)).toEqual([0]);
  });

  it('answers nothing about nothing', async () => {
    expect(await aValidator().validate([], never)).toEqual([]);
  });
});

describe('a thread that is lost', () => {
  it.each([['crash'], ['exit']])('by %s is an error for who asked, and another one answers the next', async (order) => {
    const validator = aValidator({ file: PUPPET });
    const lost = validator.validate([{ order }], never);
    const waiting = validator.validate([{ message: 'waited' }], never);
    await expect(lost).rejects.toMatchObject({ code: 'internal', message: 'The validation of resources broke down' });
    expect(await waiting).toMatchObject([{ message: 'waited' }]);
    expect(await validator.validate([{ message: 'later' }], never)).toMatchObject([{ message: 'later' }]);
  });

  it('says nothing of what it broke down of', async () => {
    const error = await aValidator({ file: PUPPET })
      .validate([{ order: 'crash' }], never)
      .catch((thrown) => thrown);
    expect(JSON.stringify([error, String(error), String(error.cause)])).not.toContain('CANARY');
  });

  it('because it takes too long is ended, and the next one is answered', async () => {
    const validator = aValidator({ file: PUPPET, deadlineMs: 2_000 });
    const hung = validator.validate([{ order: 'hang' }], never);
    const waiting = validator.validate([{ message: 'waited' }], never);
    await expect(hung).rejects.toMatchObject({ code: 'internal', message: 'The validation took longer than 2000 ms' });
    expect(await waiting).toMatchObject([{ message: 'waited' }]);
  });

  it('because its memory is full is an error', async () => {
    const validator = aValidator({ file: PUPPET, maxHeapMb: 32 });
    await expect(validator.validate([{ order: 'fill' }], never)).rejects.toMatchObject({ code: 'internal' });
    expect(await validator.validate([{ message: 'later' }], never)).toMatchObject([{ message: 'later' }]);
  });
});

describe('who no longer wants an answer', () => {
  it('gets none before it began', async () => {
    const reason = new Error('gone');
    await expect(aValidator({ file: PUPPET }).validate([{ order: 'crash' }], AbortSignal.abort(reason))).rejects.toBe(
      reason,
    );
  });

  it('an aborted call is rejected at once, and the calls after it are answered', async () => {
    const validator = aValidator({ file: PUPPET, deadlineMs: 2_000 });
    const controller = new AbortController();
    const hung = validator.validate([{ order: 'hang' }], controller.signal);
    const behind = validator.validate([{ order: 'crash' }], controller.signal);
    const last = validator.validate([{ message: 'last' }], never);
    const reason = new Error('gone');
    await new Promise(setImmediate);
    controller.abort(reason);
    await expect(hung).rejects.toBe(reason);
    await expect(behind).rejects.toBe(reason);
    expect(await last).toMatchObject([{ message: 'last' }]);
  });
});

describe('a closed validator', () => {
  it('a closed validator rejects waiting and later calls', async () => {
    const validator = openValidator({ file: PUPPET });
    const active = validator.validate([{ order: 'hang' }], never);
    const waiting = validator.validate([{ message: 'x' }], never);
    const settled = Promise.allSettled([active, waiting]);
    await new Promise(setImmediate);
    await validator.close();
    expect(await settled).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ code: 'shuttingDown' }) },
      { status: 'rejected', reason: expect.objectContaining({ code: 'shuttingDown' }) },
    ]);
    await expect(validator.validate([sound], never)).rejects.toMatchObject({ code: 'shuttingDown' });
    await validator.close();
  });

  it('that was never asked closes at once', async () => {
    await openValidator().close();
  });
});
