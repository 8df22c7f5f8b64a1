// Lets the TypeScript sources run as they are: Node >= 22.18 strips types itself; below that the dev dependency tsx does.
if (!('typescript' in process.features && process.features.typescript)) {
  const tsx = await import('tsx/esm/api').catch((error) => {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    process.stderr.write(
      `toolgate-bench: Node ${process.versions.node} cannot run TypeScript by itself; run "npm ci" first, or use Node 22.18 or newer\n`,
    );
    process.exit(2);
  });
  tsx.register();
}
