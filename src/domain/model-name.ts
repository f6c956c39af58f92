// Names of models: runs have the vendor in front (`openai:gpt-5.4`), the ledger does not. An operator may copy either form.
const VENDORS = ['openai', 'builtin'] as const;

export function bareModel(model: string): string {
  return model.replace(new RegExp(`^(?:${VENDORS.join('|')}):`), '');
}

/** All forms of the name that a run may have. */
export function modelNames(model: string): readonly string[] {
  const bare = bareModel(model);
  return [bare, ...VENDORS.map((vendor) => `${vendor}:${bare}`)];
}
