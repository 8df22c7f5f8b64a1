#!/usr/bin/env node
import './tools/typescript.mjs';
await import('./src/bin.ts');
