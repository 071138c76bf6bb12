tools/demo, as README promises it.

  $ "$SOURCE/tools/demo" --built "$BUILD" --dir "$PWD/demo"
  $ ls demo demo/mirror/public
  $ mkdir mine && "$SOURCE/tools/demo" --built "$BUILD" --dir "$PWD/mine"
