// Bundles src/main.js and its style sheet into the files that the Python package ships.
// With --check nothing is written: it fails if those files are not what the sources give.
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const here = new URL(".", import.meta.url);
const assets = new URL("../topictemper/report/_assets/", here);

const { outputFiles } = await build({
  absWorkingDir: fileURLToPath(here),
  entryPoints: { report: "src/main.js" },
  bundle: true,
  minify: true,
  charset: "ascii", // so that U+2028 and the like are escapes
  format: "esm",
  target: ["chrome111", "firefox113", "safari16.4"], // with DecompressionStream and color-mix
  legalComments: "none",
  outdir: "built",
  write: false,
});

let stale = 0;
for (const { path, text } of outputFiles) {
  const name = path.split("/").pop();
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${name} would end its element`);
  const file = new URL(name, assets);
  if (!process.argv.includes("--check")) {
    await writeFile(file, text);
  } else if ((await readFile(file, "utf8").catch(() => "")) !== text) {
    console.error(`topictemper/report/_assets/${name} is out of date: make page`);
    stale = 1;
  }
}
process.exitCode = stale;
