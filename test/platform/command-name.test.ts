import { describe, expect, it } from '@jest/globals';
import { commandName, withCommandName } from '../../src/platform/command-name.ts';

describe('the name of the command line', () => {
  it.each([
    ['in a checkout', { npm_lifecycle_event: 'cli' }, 'npm run cli --'],
    ['under npx', { npm_lifecycle_event: 'npx' }, 'chartwright'],
    ['in the image', {}, 'chartwright'],
  ])('%s is the one that works there', (_, environment, name) => {
    expect(commandName(environment)).toBe(name);
  });

  it('replaces the name in messages, with and without --silent', () => {
    const text = 'List the runs: npm run cli -- runs list\nnpm run --silent cli -- --json usage > usage.json\n';
    expect(withCommandName(text, {})).toBe(
      'List the runs: chartwright runs list\nchartwright --json usage > usage.json\n',
    );
    expect(withCommandName(text, { npm_lifecycle_event: 'cli' })).toBe(text);
  });
});
