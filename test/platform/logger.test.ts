import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../src/domain/errors.ts';
import { describeThrown, makeLogger } from '../../src/platform/logger.ts';

function logged(write: (logger: ReturnType<typeof makeLogger>) => void): Record<string, unknown> {
  const lines: string[] = [];
  write(makeLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } }));
  return JSON.parse(lines.join(''));
}

describe('the log', () => {
  it('is a JSON line with a time, a level and the fields that are allowed', () => {
    const line = logged((logger) => logger.info('request', { requestId: 'r-1', status: 200 }));
    expect(line).toMatchObject({ level: 30, msg: 'request', requestId: 'r-1', status: 200 });
  });

  it('tells of what was thrown its class and place, never its message', () => {
    const cause = new SyntaxError('Unexpected token: patient canary');
    const line = logged((logger) => logger.error('failed', { thrown: new AppError('internal', 'canary', { cause }) }));
    expect(JSON.stringify(line)).not.toContain('canary');
    expect(line['thrown']).toMatchObject({ name: 'AppError', cause: { name: 'SyntaxError' } });
  });

  it('follows causes only so far, also in a circle', () => {
    const error = new Error('a');
    error.cause = error;
    expect(JSON.stringify(describeThrown(error)).match(/"name"/g)).toHaveLength(4);
  });
});
