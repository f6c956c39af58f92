// Each run tries the same cases of a property, so that no test fails by chance.
import fc from 'fast-check';

fc.configureGlobal({ seed: 20_261_122 });

export { fc };
