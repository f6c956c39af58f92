// What a model is called: in runs with whom it is asked of (`openai:gpt-5.4`), in the ledger without. Whoever copies either means the same.
const ASKED_OF = ['openai', 'builtin'] as const;

export function bareModel(model: string): string {
  return model.replace(new RegExp(`^(?:${ASKED_OF.join('|')}):`), '');
}

/** All that a run may call it. */
export function modelNames(model: string): readonly string[] {
  const bare = bareModel(model);
  return [bare, ...ASKED_OF.map((vendor) => `${vendor}:${bare}`)];
}
