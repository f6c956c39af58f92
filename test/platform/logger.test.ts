import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../src/domain/errors.ts';
import { describeThrown, makeLogger } from '../../src/platform/logger.ts';
import { makeTracing } from '../../src/platform/tracing/tracing.ts';

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

  it('names the service and its version in each line, and the trace of lines that belong to one', async () => {
    const lines: string[] = [];
    const tracing = makeTracing();
    const logger = makeLogger({
      level: 'info',
      destination: { write: (line: string) => void lines.push(line) },
      service: { name: 'chartwright', version: '1.2.3' },
      traceId: tracing.traceId,
    });
    logger.info('outside');
    const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
    await tracing.inSpan({ name: 'work', parent: { traceparent } }, async () => logger.info('inside'));
    const [outside, inside] = lines.map((line) => JSON.parse(line));
    expect(outside).toMatchObject({ service: 'chartwright', version: '1.2.3' });
    expect(outside).not.toHaveProperty('trace_id');
    expect(inside).toMatchObject({ service: 'chartwright', version: '1.2.3', trace_id: 'ab'.repeat(16) });
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
