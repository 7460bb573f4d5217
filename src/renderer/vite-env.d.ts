/** Declares the types of Vite's imports: workers, styles and images. */
/// <reference types="vite/client" />
