// The fake passes the contract suite of its port.
import { engineNamesContract } from '../contracts/engine-names-contract.ts';
import { makeFakeEngineNames } from './engine-names.ts';

engineNamesContract('memory', async () => {
  const taken = new Set<string>();
  return { one: makeFakeEngineNames(taken), other: makeFakeEngineNames(taken), close: async () => undefined };
});
