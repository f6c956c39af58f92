// Why a version cannot be released: what a person has to do first, one sentence each.
export type ReleaseFacts = {
  readonly version: string;
  readonly changelog: string;
  readonly isClean: boolean;
  readonly tags: readonly string[];
};

export function releaseProblems({ version, changelog, isClean, tags }: ReleaseFacts): readonly string[] {
  const sections = changelog.split(/^## /m).slice(1);
  const pending = sections.find((section) => section.startsWith('[Unreleased]'));
  const own = sections.find((section) => section.startsWith(`[${version}]`));
  const problems: string[] = [];
  if (pending === undefined) problems.push('CHANGELOG.md has no section [Unreleased].');
  if (pending !== undefined && /^\s*- /m.test(pending)) {
    problems.push(`CHANGELOG.md has notes under [Unreleased]: move them to a section [${version}] with a date.`);
  }
  if (own === undefined) problems.push(`CHANGELOG.md has no section [${version}].`);
  else if (!/^\[[^\]]+\] - \d{4}-\d{2}-\d{2}\n/.test(own)) {
    problems.push(`The section [${version}] of CHANGELOG.md has no date: ## [${version}] - YYYY-MM-DD.`);
  }
  if (tags.includes(`v${version}`)) problems.push(`v${version} exists already: raise the version in package.json.`);
  if (!isClean) problems.push('There are uncommitted changes.');
  return problems;
}
