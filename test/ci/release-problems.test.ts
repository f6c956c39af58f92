import { describe, expect, it } from '@jest/globals';
import { releaseProblems } from '../../.ci/release-problems.ts';

const READY = {
  version: '1.2.0',
  changelog: '# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-24\n\n### Added\n- A thing.\n',
  isClean: true,
  tags: ['v1.1.0'],
};

describe('a release', () => {
  it('has no problem if its notes are dated and nothing is pending', () => {
    expect(releaseProblems(READY)).toEqual([]);
  });

  it.each([
    [
      'notes are pending',
      { changelog: READY.changelog.replace(']\n\n##', ']\n\n### Fixed\n- A bug.\n\n##') },
      /notes under/,
    ],
    [
      'there is no section for pending notes',
      { changelog: READY.changelog.replace('[Unreleased]', '[Later]') },
      /no section \[Unreleased\]/,
    ],
    ['the version has no section', { version: '1.3.0' }, /no section \[1\.3\.0\]/],
    ['the section has no date', { changelog: READY.changelog.replace(' - 2026-11-24', '') }, /no date/],
    ['the version was released before', { tags: ['v1.2.0'] }, /v1\.2\.0 exists already/],
    ['a change is not committed', { isClean: false }, /uncommitted/],
  ])('is refused if %s', (_, change, problem) => {
    expect(releaseProblems({ ...READY, ...change })).toEqual([expect.stringMatching(problem)]);
  });
});
