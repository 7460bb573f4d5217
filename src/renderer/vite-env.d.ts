/** What the bundler adds to modules: workers, styles, pictures. */
/// <reference types="vite/client" />
