// Runs each suite in a context whose global object is an ordinary one. Jest's own environment puts a proxy behind it, and Node then asks that
// proxy at each use of a global name (`Math`, `Map`, `undefined`), which costs code that only computes a fifth of its time.
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

type Parts = ConstructorParameters<typeof TestEnvironment>;

export default class PlainContext extends TestEnvironment {
  constructor(...parts: Parts) {
    const { createContext } = vm;
    // The environment's constructor makes the context and fills it, and offers no other way to choose its kind.
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...parts);
    } finally {
      vm.createContext = createContext;
    }
  }
}
