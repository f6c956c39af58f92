// Log lines as a person reads them on a terminal.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../src/domain/errors.ts';
import { makeTextLog } from '../../src/platform/log-text.ts';
import { describeThrown, makeLogger } from '../../src/platform/logger.ts';

function aLog({ isColored = false } = {}) {
  const printed: string[] = [];
  const log = makeTextLog(isColored, (text) => printed.push(text));
  const logger = makeLogger({ level: 'info', destination: log });
  return { log, logger, printed, plain: () => printed.map((text) => text.replace(/^\d\d:\d\d:\d\d/, 'TIME')) };
}

describe('the text log', () => {
  it('prints a request as one line with time, level, message, method, route, status and id', () => {
    const { logger, plain } = aLog();
    logger.info('request', { requestId: 'r-1', route: '/ops/runs', method: 'GET', status: 200, durationMs: 12 });
    expect(plain()).toEqual(['TIME  info   request  GET /ops/runs 200 12 ms requestId=r-1\n']);
  });

  it('prints the component before the message and the other fields after it', () => {
    const { logger, plain } = aLog();
    logger.warn('run parked, operator action required', { component: 'runs', run: 'r-1', site: 'mercy' });
    expect(plain()).toEqual(['TIME  warn   runs: run parked, operator action required  run=r-1 site=mercy\n']);
  });

  it('prints class, code and frames of an error and its cause, never a message', () => {
    const { logger, plain } = aLog();
    const thrown = new AppError('internal', 'canary', { cause: new SyntaxError('canary') });
    logger.error('failed', { thrown });
    const [text = ''] = plain();
    expect(text).toMatch(/^TIME {2}error {2}failed\n {4}AppError \(internal\)\n {6}at /);
    expect(text).toMatch(/\n {4}caused by\n {4}SyntaxError\n/);
    expect(text).not.toContain('canary');
    expect(describeThrown(thrown)).toMatchObject({ name: 'AppError' });
  });

  it('uses colours only if they are wanted', () => {
    const [colored, plain] = [aLog({ isColored: true }), aLog()];
    for (const { logger } of [colored, plain]) logger.error('failed', { count: 2 });
    expect(colored.printed[0]).toContain('\u001B[31merror\u001B[0m');
    expect(plain.printed[0]).not.toContain('\u001B');
  });

  it('drops lines below a warning while it is quiet', () => {
    const { log, logger, plain } = aLog();
    log.setQuiet(true);
    logger.info('request');
    logger.warn('reminders could not be sent');
    log.setQuiet(false);
    logger.info('a run ended');
    expect(plain()).toEqual(['TIME  warn   reminders could not be sent\n', 'TIME  info   a run ended\n']);
  });
});
