// esbuild bundles these; the compiler only has to know that they are there.
declare module '*.css';
