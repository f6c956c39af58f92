// `npm run release`: refuses while notes are pending, else tags the version of package.json and packs it. It publishes nothing.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { releaseProblems } from './release-problems.ts';

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const problems = releaseProblems({
  version,
  changelog: readFileSync('CHANGELOG.md', 'utf8'),
  isClean: git('status', '--porcelain') === '',
  tags: git('tag', '--list').split('\n'),
});
if (problems.length > 0) {
  console.error(`Version ${version} cannot be released:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
  process.exit(1);
}
git('tag', '--annotate', `v${version}`, '--message', `Version ${version}`);
execFileSync('npm', ['pack'], { stdio: 'inherit' });
console.log(`Tagged v${version}. Publish it with: git push origin v${version}`);
